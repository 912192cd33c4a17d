#include "mpi/roster.h"

#include "mpi/library.h"
#include "mpi/pmi1.h"
#include "mpi/pmix.h"
#include "settings/settings.h"

#include <algorithm>
#include <cctype>

namespace stretto::mpi::roster {

namespace {

struct State {
    std::string card;
    const char *how = "none";
    const char *why_not = "nothing was published before MPI_Init";
#ifdef OPEN_MPI
    Pmix manager;
#else
    Pmi1 manager;
#endif
};

State &state() {
    static State state;
    return state;
}

void give_up(const char *why) {
    state().how = "none";
    state().why_not = why;
}

bool printable(std::string_view card) {
    return card.size() <= 255 && std::all_of(card.begin(), card.end(), [](unsigned char c) {
               return std::isalnum(c) ||
                      std::string_view("._-/:,").find(static_cast<char>(c)) != std::string_view::npos;
           });
}

#ifdef OPEN_MPI

const char *publish_with_manager(State &s) {
    s.how = "pmix";
    return s.manager.publish("stretto", s.card);
}

const char *read_from_manager(State &s, int rank, std::vector<std::optional<std::string>> &cards) {
    if (const char *why = s.manager.published()) return why;
    if (static_cast<int>(s.manager.rank()) != rank || s.manager.ranks() != cards.size())
        return "MPI_COMM_WORLD is not what the launcher started";
    for (std::size_t i = 0; i < cards.size(); ++i) cards[i] = s.manager.look_up(static_cast<unsigned>(i), "stretto");
    return nullptr;
}

#else

constexpr int pmi1_ranks_limit = 4096;

const char *publish_with_manager(State &s) {
    if (const char *why = s.manager.connect()) return why;
    s.how = "pmi1";
    return s.manager.publish("stretto-" + std::to_string(s.manager.rank()), s.card);
}

const char *read_from_manager(State &s, int rank, std::vector<std::optional<std::string>> &cards) {
    if (s.manager.rank() != rank || s.manager.ranks() != static_cast<int>(cards.size()))
        return "MPI_COMM_WORLD is not what the launcher started";
    if (cards.size() > pmi1_ranks_limit)
        return "there are too many ranks to ask about; STRETTO_PEERS=all says that all run Stretto";
    for (std::size_t i = 0; i < cards.size(); ++i) cards[i] = s.manager.look_up("stretto-" + std::to_string(i));
    return nullptr;
}

#endif

} // namespace

void publish(std::string_view card) {
    State &s = state();
    const std::string_view peers = settings.peers ? settings.peers : "";
    if (!printable(card)) {
        give_up("the card has characters that a process manager may not carry");
        return;
    }
    s.card = card;
    if (peers == "all" || peers == "none") {
        s.how = "environment";
        s.why_not = peers == "none" ? "STRETTO_PEERS=none" : "";
        if (peers == "none") s.card.clear();
    } else if (const char *why = publish_with_manager(s)) {
        give_up(why);
    } else {
        s.why_not = "";
    }
}

std::vector<std::optional<std::string>> read_all(int rank, int ranks) {
    State &s = state();
    std::vector<std::optional<std::string>> cards(static_cast<std::size_t>(ranks));
    const std::string_view how = s.how;
    if (how == "environment") {
        if (!s.card.empty()) std::fill(cards.begin(), cards.end(), s.card);
    } else if (how != "none") {
        const char *why = read_from_manager(s, rank, cards);
        // Where our own card is not to be found, the others do not find it either.
        if (!why && cards[static_cast<std::size_t>(rank)] != s.card) why = "the launcher did not make the card known";
        if (why) {
            give_up(why);
            std::fill(cards.begin(), cards.end(), std::nullopt);
        }
    }
    if (ranks == 1 && !s.card.empty()) {
        cards[0] = s.card;
        s.how = "alone";
        s.why_not = "";
    }
    return cards;
}

const char *how() {
    return state().how;
}

const char *why_not() {
    return state().why_not;
}

} // namespace stretto::mpi::roster
