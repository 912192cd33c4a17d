#pragma once
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

//! \brief Which of two ways is quicker, the library's or ours, found while the program runs.
//!
//! A program that repeats itself makes the same call once an iteration. The time from one call's begin to the next one's is what the first one's
//! way costs, whoever pays: copies, faults, waits, cores that are taken. So the ways take turns, and the quicker one stays.
//!
//! The first calls are the library's unless the program was made for ours, and what makes no difference is the library's. A turn of ours is short beside
//! the time spent so far, so that an effort in vain costs a few per cent of it.
namespace stretto::tune {

enum class Way { native, ours };

//! \brief The trials of one kind of call.
//!
//!     tries ──decide()──> rests ──after `rest` calls──> tries
//!
//! In a trial, turns of the way that was found last and of the other one follow each other.
class Trial {
public:
    Trial() = default;
    explicit Trial(Way first) : found(first) {}

    //! What was measured in this trial, in seconds a call. Ranks that have to choose alike give decide() the means of what all measured.
    struct Measured {
        double native = 0, ours = 0;
        double least = 0;  //!< of the calls of this turn
        double so_far = 0; //!< the mean of this turn, where calls vary
        double uneven = 0; //!< 1: the calls of this turn are too unlike each other for few of them to tell
    };

    //! A call of so many bytes begins, at `now` seconds. True: decide() has to come before way().
    bool begins(double now, std::size_t bytes);

    Measured measured() const;
    void decide(const Measured &measured);

    //! The way of the call that has begun.
    Way way() const { return stage == tries && is_challenged() ? other(found) : found; }

    //! What was found last: the way of calls before decide(), where that comes some calls late. Nobody counts those; the last of them, with which
    //! decide() comes, resumes().
    Way found_last() const { return found; }
    void resumes(double now) { last = now; }

    //! For calls of another size: what was found here, as if it had just been.
    Trial inherited() const;

private:
    enum Stage { tries, rests } stage = tries;
    Way found = Way::native;
    bool first = true;            // trial
    bool slow = false;            // few calls tell enough
    bool varies = false;          // what calls of one way take: only means of many can be compared
    bool begun = false;           // a call, at all
    unsigned done = 0;            // calls of this stage, or of this turn, that have been made
    unsigned turn = 0;            // of this trial; the odd ones are the other way's
    unsigned rest = 0;            // calls until the next trial
    std::size_t last_bytes = 0;   // of the last call
    double last = 0;              // when it began
    double sum = 0;               // of a turn, where calls vary
    std::vector<double> times[2]; // by way; where calls vary, the means of turns

    static Way other(Way way) { return way == Way::native ? Way::ours : Way::native; }
    bool is_challenged() const { return turn % 2 != 0; }
    bool may_be_cut_short() const { return varies && is_challenged() && found == Way::native; }
    unsigned length() const;
    bool took(double seconds);
    void note(double seconds);
    void begin_turn(unsigned which);
    void begin_trial();
    unsigned least_rest_with(Way way) const;
    void rest_with(Way way);
};

//! \brief What is learnt of calls that are alike but for their size. Sizes within a factor of two are one kind; a new kind inherits from the last one.
template <class Kind>
class BySize {
public:
    Kind &of(std::size_t bytes) {
        for (std::size_t k = 0; k < all.size(); k++)
            if (bytes <= 2 * all[k].first && all[k].first <= 2 * bytes) return all[latest = k].second;
        Kind kind = all.empty() ? Kind() : all[latest].second.inherited();
        latest = all.size();
        return all.emplace_back(bytes, std::move(kind)).second;
    }

private:
    std::deque<std::pair<std::size_t, Kind>> all; // references stay
    std::size_t latest = 0;
};

} // namespace stretto::tune
