//! \file An object that lasts as long as the process.
#pragma once

namespace stretto {

//! \brief A T at namespace scope that is made when it is first used, and never destroyed. A library's constructor, which calls MPI_Init, may
//! run before ours: what ours would make has been used then. Not for two threads at once: under the lock.
template <class T>
class Lasting {
public:
    T *operator->() {
        if (!it) [[unlikely]]
            it = new T;
        return it;
    }
    T &operator*() { return *operator->(); }

private:
    T *it = nullptr;
};

} // namespace stretto
