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
