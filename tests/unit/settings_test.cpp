// The settings of runtime/settings/settings.def: what is read, and what is said about what cannot be.
#include "settings/settings.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace stretto {
namespace {

//! The environment that a test makes is gone after it.
class SettingsTest : public testing::Test {
protected:
    void TearDown() override {
        for (const SettingRow &row : setting_rows()) unsetenv(row.variable);
        for (const std::string &name : others) unsetenv(name.c_str());
        read_settings();
    }

    void set(const char *name, const char *value) {
        setenv(name, value, 1);
        others.emplace_back(name);
    }

    //! The one complaint, or all of them.
    static std::string said() {
        std::string all;
        for (const std::string &sentence : complaints()) all += sentence;
        return all;
    }

    static std::string read(const char *name, const char *value) {
        setenv(name, value, 1);
        read_settings();
        return said();
    }

private:
    std::vector<std::string> others;
};

std::string told(const char *text) {
    return text ? text : "";
}
std::string told(const Use &use) {
    return std::to_string(use.frames) + std::to_string(use.receives) + std::to_string(use.sends);
}
template <class Value>
requires std::is_arithmetic_v<Value> || std::is_enum_v<Value> std::string told(Value value) {
    return std::to_string(static_cast<double>(value));
}

TEST_F(SettingsTest, a_default_that_is_told_is_the_default) {
    const Settings usual_ones;
    int compared = 0;
#define SETTING(type, member, initial, variable, usual, ...)                                                         \
    if (read(variable, usual).empty()) {                                                                             \
        EXPECT_EQ(told(settings.member), told(usual_ones.member)) << variable;                                       \
        compared++;                                                                                                  \
    } else {                                                                                                         \
        EXPECT_TRUE(std::string(usual).find(' ') != std::string::npos || std::string(usual) == "asked") << variable; \
    }                                                                                                                \
    unsetenv(variable);
#include "settings/settings.def"
    EXPECT_GT(compared, 15);
}

TEST_F(SettingsTest, words_are_read) {
    EXPECT_EQ(read("STRETTO_TRIGGER", "pages"), "");
    EXPECT_EQ(settings.trigger, Trigger::pages);
    EXPECT_EQ(read("STRETTO_RELEASE", "unmatched"), "");
    EXPECT_TRUE(settings.unmatched);
    EXPECT_EQ(read("STRETTO_INFO", "links"), "");
    EXPECT_EQ(settings.info, Info::links);
    EXPECT_EQ(read("STRETTO", "receive"), "");
    EXPECT_TRUE(settings.use.receives && !settings.use.sends && !settings.off);
    EXPECT_EQ(read("STRETTO", "off"), "");
    EXPECT_TRUE(settings.off);
}

TEST_F(SettingsTest, a_switch_may_be_told_in_several_words) {
    for (const char *yes : {"1", "on", "yes", "true"}) {
        EXPECT_EQ(read("STRETTO_COUNTERS", yes), "");
        EXPECT_TRUE(settings.counters) << yes;
    }
    for (const char *no : {"0", "off", "no", "false", ""}) {
        EXPECT_EQ(read("STRETTO_COUNTERS", no), "");
        EXPECT_FALSE(settings.counters) << no;
    }
}

TEST_F(SettingsTest, numbers_are_read) {
    EXPECT_EQ(read("STRETTO_THRESHOLD", "8K"), "");
    EXPECT_EQ(settings.threshold, 8192u);
    EXPECT_EQ(read("STRETTO_FAST_LINK", "1e300"), "");
    EXPECT_EQ(settings.fast_link, 1e300);
    EXPECT_EQ(read("STRETTO_DELTA", "100"), "");
    EXPECT_EQ(settings.delta, 256u) << "the least";
    EXPECT_EQ(read("STRETTO_DELTA", "1000"), "");
    EXPECT_EQ(settings.delta, 992u) << "a multiple of 32";
    EXPECT_EQ(read("STRETTO_HELPER", "off"), "");
    EXPECT_EQ(settings.helper, 0);
    EXPECT_EQ(read("STRETTO_HELPER", "200"), "");
    EXPECT_NEAR(settings.helper, 200e-6, 1e-12);
    EXPECT_EQ(read("STRETTO_HELPER", "auto"), "");
    EXPECT_LT(settings.helper, 0);
}

TEST_F(SettingsTest, what_cannot_be_read_is_ignored_and_a_complaint_with_what_may_be_meant) {
    EXPECT_EQ(read("STRETTO_GUARD", "mproctect"),
              "STRETTO_GUARD=mproctect is unknown (it may be: userfault, mprotect, block; did you mean "
              "mprotect?); ignored");
    EXPECT_EQ(settings.guard, nullptr);
    unsetenv("STRETTO_GUARD");
    EXPECT_EQ(read("STRETTO_BUDGET", "much"),
              "STRETTO_BUDGET=much is unknown (it may be: a number of bytes, such as 8192 or 8K); ignored");
    EXPECT_EQ(settings.budget, Settings().budget);
    unsetenv("STRETTO_BUDGET");
    EXPECT_EQ(read("STRETTO_HELPER", "soon"),
              "STRETTO_HELPER=soon is unknown (it may be: auto, off, or a number of microseconds); ignored");
    unsetenv("STRETTO_HELPER");
    EXPECT_NE(read("STRETTO_DEBUG", "2"), "");
    EXPECT_FALSE(settings.debug);
}

TEST_F(SettingsTest, force_is_read_first) {
    set("STRETTO_THRESHOLD", "5");
    EXPECT_EQ(read("STRETTO_FORCE", "1"), "");
    EXPECT_EQ(settings.threshold, 5u);
    EXPECT_EQ(settings.budget, 0u);
    EXPECT_NE(read("STRETTO_FORCE", "very"), "");
    EXPECT_EQ(complaints().size(), 1u) << said();
}

TEST_F(SettingsTest, reordered_sums_are_a_word_of_the_collectives) {
    set("STRETTO_COLLECTIVES", "all");
    EXPECT_EQ(read("STRETTO_REORDER", "1"), "");
    EXPECT_STREQ(settings.collectives, "all,reorder");
}

TEST_F(SettingsTest, a_variable_that_nobody_knows_is_a_complaint) {
    const char *const environment[] = {"PATH=/bin",        "STRETTO_TRESHOLD=1", "STRETTO_DELTA=2K",
                                       "STRETTO_CC=clang", "STRETTOS=1",         nullptr};
    const std::vector<std::string> found = unknown_variables(environment);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0],
              "STRETTO_TRESHOLD is no setting; did you mean STRETTO_THRESHOLD? (`stretto settings` lists them)");
    EXPECT_EQ(found[1].find("STRETTOS is no setting"), 0u);
    set("STRETTO_TRESHOLD", "1");
    read_settings();
    EXPECT_NE(said().find("STRETTO_TRESHOLD"), std::string::npos);
}

} // namespace
} // namespace stretto
