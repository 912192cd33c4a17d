#include "pages/sweep.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stretto::pages {

namespace {

constexpr std::size_t most_fronts =
    64; // more places at once are no sweep: the oldest is forgotten, and leaves at the end
constexpr std::size_t stride =
    8; // so many units in equal steps are one sweep; fewer may be the first ones of as many arrays

} // namespace

bool Sweep::moves(const Front &front, std::ptrdiff_t unit, long thread) {
    if (front.thread != thread) return false;
    return front.step ? front.at + front.step == unit : std::abs(front.at - unit) == 1;
}

int Sweep::comes(std::size_t its_unit, long thread) const {
    const auto unit = static_cast<std::ptrdiff_t>(its_unit);
    for (const Front &front : fronts_)
        if (std::abs(unit - front.at) == 1 && moves(front, unit, thread)) return static_cast<int>(unit - front.at);
    return 0;
}

int Sweep::goes(std::size_t its_unit, long thread) const {
    const auto unit = static_cast<std::ptrdiff_t>(its_unit);
    for (const Front &front : fronts_)
        if (front.at == unit && front.thread == thread) {
            if (std::abs(front.step) == 1) return static_cast<int>(front.step);
            if (!front.step) return front.entry == Entry::begin ? 1 : front.entry == Entry::end ? -1 : 0;
        }
    return 0;
}

void Sweep::begins(std::size_t its_unit, long thread, Entry entry) {
    const auto unit = static_cast<std::ptrdiff_t>(its_unit);
    const auto moves_here = [&](const Front &front) { return moves(front, unit, thread); };
    // The latest first: a program is where it was.
    const auto front = std::find_if(fronts_.rbegin(), fronts_.rend(), moves_here);
    if (front != fronts_.rend()) return move(*front, unit, entry);
    if (continues_a_stride(unit, thread, entry)) return;
    if (fronts_.size() == most_fronts) fronts_.erase(fronts_.begin());
    fronts_.push_back({unit, 0, thread, entry});
}

void Sweep::move(Front &front, std::ptrdiff_t to, Entry entry) {
    const bool first = !front.step;
    front.step = to - front.at;
    const bool next_to_it = std::abs(front.step) == 1;
    // All of it was written by this writer, if it came from the unit beside it, or began at the right end.
    const bool whole = (next_to_it && !first) || front.entry == (front.step == -1 ? Entry::end : Entry::begin);
    const std::ptrdiff_t left = whole ? front.at : -1;
    pass(std::exchange(front.behind, careful_ ? left : -1));
    if (!careful_) pass(left);
    front.at = to;
    front.entry = entry;
}

void Sweep::pass(std::ptrdiff_t unit) {
    if (unit >= 0) passed_.insert({static_cast<std::size_t>(unit), static_cast<std::size_t>(unit) + 1});
}

// Equal steps in a row, between units of which nothing else is known.
bool Sweep::continues_a_stride(std::ptrdiff_t unit, long thread, Entry entry) {
    if (fronts_.size() < stride - 1) return false;
    const auto first = fronts_.end() - (stride - 1);
    const std::ptrdiff_t step = unit - fronts_.back().at;
    for (auto front = first; front != fronts_.end(); ++front) {
        const std::ptrdiff_t next = front + 1 == fronts_.end() ? unit : (front + 1)->at;
        if (front->thread != thread || front->step || next - front->at != step) return false;
    }
    for (auto next = first + 1; next != fronts_.end(); ++next) move(*first, next->at, next->entry);
    move(*first, unit, entry);
    fronts_.erase(first + 1, fronts_.end());
    return true;
}

void Sweep::clear() {
    fronts_.clear();
    passed_.clear();
}

} // namespace stretto::pages
