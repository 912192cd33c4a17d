#include "front/mdmp/header.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>

namespace stretto::front::mdmp::header {

namespace {

constexpr std::uint32_t is_full = 0x4d444d50, is_short = 0x4d444d51; // "MDMP", "MDMQ"

struct Short {
    std::uint32_t kind, line;
    std::int64_t bytes;
    std::uint32_t element_bytes, number; // of the directive, in its process
    Parts parts;
};

struct Full {
    Short common;
    Names names;
};
static_assert(sizeof(Full) == most_bytes && sizeof(Short) == 32);

using Key = std::tuple<unsigned, int, std::uint32_t>; // of a communicator, a partner, a directive's number

// Whom this thread has told.
thread_local std::set<Key> told;

std::mutex mutex;
std::map<Key, Names> heard;

// The end of a file's name says most, from a folder on; of a section the beginning does.
void write_text(std::array<char, 64> &to, const char *text, bool is_file) {
    std::string_view all = text ? text : "";
    const std::size_t room = to.size() - 1;
    if (is_file && all.size() > room) {
        all.remove_prefix(all.size() - room);
        if (const std::size_t folder = all.find('/'); folder != all.npos) all.remove_prefix(folder + 1);
    }
    all = all.substr(0, room);
    to.fill('\0');
    all.copy(to.data(), all.size());
}

} // namespace

Names Names::of(const stretto_directive &given) {
    Names names;
    write_text(names.file, given.file, true);
    write_text(names.text, given.text, false);
    return names;
}

std::string Names::which(const char *name, unsigned line) const {
    return written(name, text.data()) + " at " + line_of(file.data(), line);
}

std::size_t write(std::byte *to, const Directive &send, std::size_t bytes, std::int64_t element_bytes, Parts parts,
                  Way way) {
    const std::uint32_t number = send.number();
    Short common{
        is_short, send.given.line, static_cast<std::int64_t>(bytes), static_cast<std::uint32_t>(element_bytes), number,
        parts};
    if (!told.insert({way.communicator, way.partner, number}).second) {
        std::memcpy(to, &common, sizeof common);
        return sizeof common;
    }
    common.kind = is_full;
    const Full full{common, Names::of(send.given)};
    std::memcpy(to, &full, sizeof full);
    return sizeof full;
}

std::optional<Said> read(const std::byte *from, Way way) {
    Short it;
    std::memcpy(&it, from, sizeof it);
    if (it.kind != is_full && it.kind != is_short) return {};
    const Said said{
        it.kind == is_full ? sizeof(Full) : sizeof(Short), it.bytes, it.element_bytes, it.line, it.number, it.parts};
    if (it.kind == is_full) {
        Full full;
        std::memcpy(&full, from, sizeof full);
        const std::lock_guard lock(mutex);
        heard[{way.communicator, way.partner, it.number}] = full.names;
    }
    return said;
}

// With tags, what a directive said first may still be on its way where what it said next is here.
std::string Said::which(Way way) const {
    const std::lock_guard lock(mutex);
    const auto found = heard.find({way.communicator, way.partner, number});
    if (found == heard.end()) return "the send at line " + std::to_string(line);
    return found->second.which("send", line);
}

} // namespace stretto::front::mdmp::header
