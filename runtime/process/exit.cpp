// What lives at namespace scope lives as long as the process: MPI_Finalize may be called in a library's destructor that runs after ours.

//! What the compiler registers the destructors of objects with, here and in our copy of the C++ library. This one forgets them.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C++ ABI's name
extern "C" int __cxa_atexit(void (*)(void *), void *, void *) {
    return 0;
}
