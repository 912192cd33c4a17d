// What a program asks of libc with a buffer that pages are watched of. The kernel would answer EFAULT where a page is closed, so what is
// guarded comes first, and what is tracked counts as written. What is asked about memory itself: memory_calls.cpp.
//
// No list of functions is whole: pages/dispatch.h sees every system call. This is for where it cannot, and is asked for all the same
// (STRETTO_SYSCALLS=wrappers); and for what libc does before it asks the kernel.
//
// Also libraries' calls come here, MPI's own among them, on threads and under locks that we know nothing of: what does not touch watched
// memory passes without any lock.
#include "front/entry.h"
#include "front/system/pages.h"
#include "pages/dispatch.h"
#include "pages/guard.h"
#include "pages/libc.h"
#include "pages/memory.h"
#include "pages/tracker.h"
#include "progress/progress.h"

#include <cstdio>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace stretto::front {

namespace {

// A call from inside MPI is the library's: its buffers were settled when the call was made, but for pages that were closed since and that
// hold other data too. Where we wait, and the library does not work, it is one of a signal's handler: the program's.
bool is_librarys() {
    return nested() && (progress::Guard::mine || Alone::in_native_call);
}

bool nothing_watched() {
    return (!pages::Guard::any() && !pages::Tracker::any()) || is_librarys();
}

void lend(const void *memory, std::size_t bytes) {
    if (pages::Guard::any() && progress::Guard::mine) pages::Guard::lend(pages::addresses_of(memory, bytes));
}

[[gnu::noinline]] void settle_read(const void *memory, std::size_t bytes) {
    const pages::dispatch::Ours ours;
    pages::Guard::settle(memory, bytes);
}

void is_read(const void *memory, std::size_t bytes) {
    if (is_librarys()) return lend(memory, bytes);
    if (!nothing_watched()) settle_read(memory, bytes);
}

[[gnu::noinline]] void settle_written(void *memory, std::size_t bytes) {
    const pages::dispatch::Ours ours;
    pages::Guard::settle(memory, bytes);
    pages::Tracker::settle(memory, bytes);
}

void is_written(void *memory, std::size_t bytes) {
    if (is_librarys()) return lend(memory, bytes);
    if (!nothing_watched()) settle_written(memory, bytes);
}

// The list may lie where nothing is, and the kernel answers EFAULT. Where calls are stopped, it is looked at there (pages/call_memory.h).
bool list_is_ours_to_read() {
    return nested() || (!nothing_watched() && !pages::dispatch::on);
}

void are_read(const iovec *pieces, std::size_t count) {
    if (!list_is_ours_to_read()) return;
    for (std::size_t k = 0; k < count; k++) is_read(pieces[k].iov_base, pieces[k].iov_len);
}

void are_written(const iovec *pieces, std::size_t count) {
    if (!list_is_ours_to_read()) return;
    for (std::size_t k = 0; k < count; k++) is_written(pieces[k].iov_base, pieces[k].iov_len);
}

void are_read(const msghdr *message) {
    if (list_is_ours_to_read()) are_read(message->msg_iov, message->msg_iovlen);
}

void are_written(const msghdr *message) {
    if (list_is_ours_to_read()) are_written(message->msg_iov, message->msg_iovlen);
}

std::size_t pieces_of(int count) {
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

} // namespace

} // namespace stretto::front

using namespace stretto::front;

// With _FORTIFY_SOURCE a program calls these; they check the size, and then ask the kernel themselves.
extern "C" {
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, sockaddr *, socklen_t *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
}

extern "C" {

// --- out of memory --------------------------------------------------------------------------------------------------

PUBLIC ssize_t write(int file, const void *memory, size_t bytes) {
    is_read(memory, bytes);
    return NEXT(write)(file, memory, bytes);
}

PUBLIC ssize_t pwrite(int file, const void *memory, size_t bytes, off_t at) {
    is_read(memory, bytes);
    return NEXT(pwrite)(file, memory, bytes, at);
}

PUBLIC ssize_t pwrite64(int file, const void *memory, size_t bytes, off64_t at) {
    is_read(memory, bytes);
    return NEXT(pwrite64)(file, memory, bytes, at);
}

PUBLIC ssize_t writev(int file, const iovec *pieces, int count) {
    are_read(pieces, pieces_of(count));
    return NEXT(writev)(file, pieces, count);
}

PUBLIC ssize_t send(int socket, const void *memory, size_t bytes, int flags) {
    is_read(memory, bytes);
    return NEXT(send)(socket, memory, bytes, flags);
}

PUBLIC ssize_t sendto(int socket, const void *memory, size_t bytes, int flags, const sockaddr *to, socklen_t length) {
    is_read(memory, bytes);
    return NEXT(sendto)(socket, memory, bytes, flags, to, length);
}

PUBLIC ssize_t sendmsg(int socket, const msghdr *message, int flags) {
    are_read(message);
    return NEXT(sendmsg)(socket, message, flags);
}

PUBLIC size_t fwrite(const void *memory, size_t size, size_t count, FILE *file) {
    is_read(memory, size * count);
    return NEXT(fwrite)(memory, size, count, file);
}

// --- into memory ----------------------------------------------------------------------------------------------------

PUBLIC ssize_t read(int file, void *memory, size_t bytes) {
    is_written(memory, bytes);
    return NEXT(read)(file, memory, bytes);
}

PUBLIC ssize_t pread(int file, void *memory, size_t bytes, off_t at) {
    is_written(memory, bytes);
    return NEXT(pread)(file, memory, bytes, at);
}

PUBLIC ssize_t pread64(int file, void *memory, size_t bytes, off64_t at) {
    is_written(memory, bytes);
    return NEXT(pread64)(file, memory, bytes, at);
}

PUBLIC ssize_t readv(int file, const iovec *pieces, int count) {
    are_written(pieces, pieces_of(count));
    return NEXT(readv)(file, pieces, count);
}

PUBLIC ssize_t recv(int socket, void *memory, size_t bytes, int flags) {
    is_written(memory, bytes);
    return NEXT(recv)(socket, memory, bytes, flags);
}

PUBLIC ssize_t recvfrom(int socket, void *memory, size_t bytes, int flags, sockaddr *from, socklen_t *length) {
    is_written(memory, bytes);
    return NEXT(recvfrom)(socket, memory, bytes, flags, from, length);
}

PUBLIC ssize_t recvmsg(int socket, msghdr *message, int flags) {
    are_written(message);
    return NEXT(recvmsg)(socket, message, flags);
}

PUBLIC size_t fread(void *memory, size_t size, size_t count, FILE *file) {
    is_written(memory, size * count);
    return NEXT(fread)(memory, size, count, file);
}

PUBLIC ssize_t __read_chk(int file, void *memory, size_t bytes, size_t room) {
    is_written(memory, bytes);
    return NEXT(__read_chk)(file, memory, bytes, room);
}

PUBLIC ssize_t __pread_chk(int file, void *memory, size_t bytes, off_t at, size_t room) {
    is_written(memory, bytes);
    return NEXT(__pread_chk)(file, memory, bytes, at, room);
}

PUBLIC ssize_t __pread64_chk(int file, void *memory, size_t bytes, off64_t at, size_t room) {
    is_written(memory, bytes);
    return NEXT(__pread64_chk)(file, memory, bytes, at, room);
}

PUBLIC ssize_t __recv_chk(int socket, void *memory, size_t bytes, size_t room, int flags) {
    is_written(memory, bytes);
    return NEXT(__recv_chk)(socket, memory, bytes, room, flags);
}

PUBLIC ssize_t __recvfrom_chk(int socket, void *memory, size_t bytes, size_t room, int flags, sockaddr *from,
                              socklen_t *length) {
    is_written(memory, bytes);
    return NEXT(__recvfrom_chk)(socket, memory, bytes, room, flags, from, length);
}

PUBLIC size_t __fread_chk(void *memory, size_t room, size_t size, size_t count, FILE *file) {
    is_written(memory, size * count);
    return NEXT(__fread_chk)(memory, room, size, count, file);
}
}
