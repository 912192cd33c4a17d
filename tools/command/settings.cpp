#include "settings.h"
#include "failure.h"
#include "settings/nearest.h"
#include "settings/settings.h"
#include "table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>

extern "C" char **environ;

namespace stretto::command {

namespace {

using Rows = std::vector<SettingRow>;

std::vector<std::string> choices(const SettingRow &row) {
    std::vector<std::string> all;
    std::istringstream words(row.may_be);
    for (std::string word; std::getline(words, word, '|');) all.push_back(word);
    return all;
}

std::string full_name(std::string typed) {
    std::transform(typed.begin(), typed.end(), typed.begin(), [](unsigned char c) { return std::toupper(c); });
    return typed.starts_with("STRETTO") ? typed : "STRETTO_" + typed;
}

Rows rows_of(const std::vector<std::string> &names) {
    const auto all = setting_rows();
    if (names.empty()) return {all.begin(), all.end()};
    Rows found;
    for (const std::string &typed : names) {
        const std::string name = full_name(typed);
        const auto row = std::find_if(all.begin(), all.end(), [&](const SettingRow &r) { return r.variable == name; });
        if (row == all.end()) {
            std::vector<std::string> known;
            for (const SettingRow &each : all) known.emplace_back(each.variable);
            const std::string_view near = nearest(name, known);
            throw Failure(name + " is no setting" + (near.empty() ? "" : ": did you mean " + std::string(near) + "?"));
        }
        found.push_back(*row);
    }
    return found;
}

void print_table(const Rows &rows) {
    Table table({"variable", "value", "default", "may be", "meaning"});
    for (const SettingRow &row : rows)
        table.add(
            {{row.variable}, {value_of(row), Colour::good}, {row.usual}, {may_be(row)}, {row.meaning, Colour::faint}});
    table.print();
    for (const std::string &sentence : unknown_variables(environ)) std::cout << coloured(sentence, Colour::bad) << '\n';
}

void print_json(const Rows &rows) {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const SettingRow &row : rows)
        all[row.variable] = {{"value", value_of(row)},
                             {"default", row.usual},
                             {"may_be", choices(row)},
                             {"page", row.page},
                             {"meaning", row.meaning}};
    std::cout << all.dump(2) << '\n';
}

// "off: the plain library": the word as code.
std::string with_code(const SettingRow &row, const std::string &before, const std::string &after) {
    std::string text = row.meaning;
    for (const std::string &word : choices(row))
        if (!word.starts_with('<'))
            text = std::regex_replace(text, std::regex("(^|[;.] )" + word + ": "), "$1" + before + word + after + " ");
    return text;
}

void print_markdown(const Rows &rows) {
    std::cout << "| variable | default | may be | meaning | page |\n|---|---|---|---|---|\n";
    for (const SettingRow &row : rows) {
        std::string may_be;
        for (const std::string &choice : choices(row)) {
            const bool is_word = !choice.starts_with('<');
            may_be +=
                (may_be.empty() ? "" : ", ") + (is_word ? "`" + choice + "`" : choice.substr(1, choice.size() - 2));
        }
        const std::string meaning =
            std::regex_replace(with_code(row, "`", "`:"), std::regex("STRETTO_?[A-Z]*(=[a-z]+)?"), "`$&`");
        const std::string page = row.page, name = page.substr(page.rfind('/') + 1);
        const std::string title =
            name == "README.md" ? page.substr(0, page.find('/')) : name.substr(0, name.rfind('.'));
        std::cout << "| `" << row.variable << "` | " << row.usual << " | " << may_be << " | " << meaning << " | ["
                  << title << "](" << page << ") |\n";
    }
}

void print_man(const Rows &rows) {
    for (const SettingRow &row : rows) {
        std::cout << ".It Ev " << row.variable << '\n';
        std::string text = std::regex_replace(with_code(row, "\n.Cm ", " :\n"), std::regex(" *\n+ *"), "\n");
        text = std::regex_replace(text, std::regex("\\. "), ".\n");
        if (text.starts_with('\n')) text.erase(0, 1);
        std::cout << text << ".\n";
        if (*row.usual) std::cout << "Default: " << row.usual << ".\n";
    }
}

} // namespace

std::string value_of(const SettingRow &row) {
    const char *value = std::getenv(row.variable);
    return value ? value : "";
}

std::string may_be(const SettingRow &row) {
    std::string all;
    for (const std::string &choice : choices(row))
        all += (all.empty() ? "" : ", ") + (choice.starts_with('<') ? choice.substr(1, choice.size() - 2) : choice);
    return all;
}

void print_settings(const std::vector<std::string> &names, Form form) {
    const Rows rows = rows_of(names);
    switch (form) {
    case Form::table:
        return print_table(rows);
    case Form::json:
        return print_json(rows);
    case Form::markdown:
        return print_markdown(rows);
    case Form::man:
        return print_man(rows);
    }
}

} // namespace stretto::command
