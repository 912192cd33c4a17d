// Source: the line of an instruction, also where who is asked for it is ended by a signal.
#include "trace/source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace stretto::source {
namespace {

void here() {}

const void *instruction() {
    return reinterpret_cast<const void *>(&here);
}

TEST(Source, describes_an_instruction_by_its_line) {
    EXPECT_NE(describe(place(instruction())).find("source_test.cpp:"), std::string::npos);
}

[[gnu::noinline]] const void *caller() {
    return static_cast<const char *>(__builtin_return_address(0)) - 1;
}

[[gnu::always_inline]] inline const void *inlined() {
    const void *at = caller();
    asm volatile(""); // not the last thing that it does, as that would be a jump
    return at;
}

[[gnu::noinline]] const void *calls_it() {
    const void *at = inlined();
    asm volatile("");
    return at;
}

TEST(Source, has_the_callers_of_what_is_inlined) {
    const Place at = place(calls_it());
    const std::vector<Frame> found = frames(at.object, {at.offset})[0];
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].function.find("calls_it"), std::string::npos); // that is what addr2line says
    EXPECT_NE(found[1].function.find("calls_it"), std::string::npos);
    EXPECT_NE(found[0].line, found[1].line);
}

TEST(Source, names_cxx_functions_as_people_do) {
    EXPECT_EQ(text({"/bin/solver", 0x1f3, "_ZN4halo8exchangeIdEEvRT_i"}), "solver+0x1f3 (halo::exchange<double>)");
}

// As where MPICH's launcher sends SIGUSR1 to all that a rank started, once, when another rank has died.
TEST(Source, asks_again_where_the_answer_is_ended_by_a_signal) {
    char folder[] = "/tmp/stretto-source-XXXXXX";
    ASSERT_TRUE(mkdtemp(folder));
    const std::string path = std::getenv("PATH"), script = std::string(folder) + "/addr2line";
    std::ofstream(script) << "#!/bin/sh\n[ -e " << folder << "/died ] || { touch " << folder
                          << "/died; kill -USR1 $$; }\nPATH='" << path << "' exec addr2line \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    setenv("PATH", (std::string(folder) + ":" + path).c_str(), 1);
    const std::string said = describe(place(instruction()));
    setenv("PATH", path.c_str(), 1);
    EXPECT_TRUE(std::filesystem::exists(std::string(folder) + "/died"));
    EXPECT_NE(said.find("source_test.cpp:"), std::string::npos) << said;
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace stretto::source
