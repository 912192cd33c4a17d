// The environment variables that libstretto reads, for people: `stretto settings`, and what documentation is made of.
#pragma once
#include <string>
#include <vector>

namespace stretto {
struct SettingRow;
}

namespace stretto::command {

// What is set, or empty.
std::string value_of(const SettingRow &row);

// "off, chunk, bytes": what it may be.
std::string may_be(const SettingRow &row);

enum class Form { table, json, markdown, man };

// Of these settings, by name, with or without STRETTO_ and in any case; of all if none is named.
void print_settings(const std::vector<std::string> &names, Form form);

} // namespace stretto::command
