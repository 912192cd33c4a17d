#include "tune/which_framing.h"

#include "process/lasting.h"
#include "settings/settings.h"
#include "tune/trial.h"

#include <unordered_map>

namespace stretto::tune {

namespace {

constexpr std::size_t most_sites = 4096;
constexpr unsigned most_followers = 4096; // then the rank whose messages are timed is sent nothing more

//! \brief Messages that are alike.
template <Way first>
class Stream {
public:
    Way next(std::size_t bytes, const void *to, double now) {
        if (!leads || ++followers == most_followers) leads = to;
        if (to == leads) {
            followers = 0;
            if (trial.begins(now, bytes)) trial.decide(trial.measured());
        }
        return trial.way();
    }

    Stream inherited() const {
        Stream heir;
        heir.trial = trial.inherited();
        return heir;
    }

private:
    Trial trial{first};
    const void *leads = nullptr; // the rank to which the messages go that are timed
    unsigned followers = 0;      // messages to others since
};

//! \brief What is learnt, by call site.
template <Way first>
struct Sites {
    std::unordered_map<CallSite, BySize<Stream<first>>> all;

    Way next(CallSite site, std::size_t bytes, const void *to, double now) {
        if (all.size() == most_sites && !all.contains(site)) return first;
        return all[site].of(bytes).next(bytes, to, now);
    }
};

constinit Lasting<Sites<Way::native>> ordinary;
constinit Lasting<Sites<Way::ours>> compiled;

bool all_ours() {
    return settings.force || !settings.trials;
}

} // namespace

bool leaves_framed(CallSite site, std::size_t bytes, const void *to, bool lags, double now) {
    return all_ours() || lags || ordinary->next(site, bytes, to, now) == Way::ours;
}

bool starts_early(CallSite site, std::size_t bytes, const void *to, double now) {
    return all_ours() || compiled->next(site, bytes, to, now) == Way::ours;
}

} // namespace stretto::tune
