#include "tune/which_framing.h"

#include "tune/settings.h"
#include "tune/trial.h"

#include <unordered_map>

namespace stretto::tune {

namespace {

constexpr std::size_t most_sites = 4096;
constexpr unsigned most_followers = 4096; // then the rank whose messages are timed is sent nothing more

//! \brief Messages that are alike.
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
    Trial trial;
    const void *leads = nullptr; // the rank to which the messages go that are timed
    unsigned followers = 0;      // messages to others since
};

std::unordered_map<CallSite, BySize<Stream>> sites;

} // namespace

bool leaves_framed(CallSite site, std::size_t bytes, const void *to, bool lags, double now) {
    if (settings.force || !settings.trials) return true;
    if (lags) return true;
    if (sites.size() == most_sites && !sites.contains(site)) return false;
    return sites[site].of(bytes).next(bytes, to, now) == Way::ours;
}

} // namespace stretto::tune
