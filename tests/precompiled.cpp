// No tests: the target `precompiled` is what they include (tests/CMakeLists.txt).
