// Names of C++ functions, as the report shows them.
#include "trace/demangle.h"

#include <gtest/gtest.h>

namespace stretto::source {
namespace {

TEST(Demangle, leaves_names_of_other_languages_alone) {
    EXPECT_EQ(demangle("exchange_"), "exchange_");
    EXPECT_EQ(demangle(""), "");
    EXPECT_EQ(demangle("_Zebra"), "_Zebra");
}

TEST(Demangle, says_what_a_cxx_name_means) {
    EXPECT_EQ(demangle("_ZN4halo8exchangeIdEEvRT_i"), "void halo::exchange<double>(double&, int)");
}

TEST(Demangle, shortens_a_name_to_what_is_called) {
    const auto is = [](const char *demangled, const char *shortened) {
        EXPECT_EQ(shortened_name(demangled), shortened);
    };
    is("main", "main");
    is("solve(int)", "solve");
    is("void halo::exchange<double>(double&, int)", "halo::exchange<double>");
    is("Halo<double, std::allocator<double>, 3>::begin(int) const", "Halo<…>::begin");
    is("std::vector<int, std::allocator<int> > make<int>()", "make<int>");
    is("(anonymous namespace)::exchange(int (*)(int))", "(anonymous namespace)::exchange");
    is("unsigned long (anonymous namespace)::count<int>(int)", "(anonymous namespace)::count<int>");
    is("main::{lambda(int)#1}::operator()(int) const", "main::{…}::operator()");
    is("solve(int)::{lambda()#1}::operator()() const", "solve::{…}::operator()");
    is("Grid::operator<<(int)", "Grid::operator<<");
    is("bool operator< <int>(Grid<int> const&, Grid<int> const&)", "operator<");
    is("Grid::operator double() const", "Grid::operator double");
    is("operator new(unsigned long)", "operator new");
}

} // namespace
} // namespace stretto::source
