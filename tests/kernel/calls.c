/* calls [NAME...]: rank 1 receives a message for each row and, while it still comes, hands a place in it to the kernel. What a call answers
 * and leaves in memory must be the same as with ordinary memory. Prints "NAME same|EFAULT|other closed|open" for each, and how many. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 1 << 20, AT = 600 << 10, ROOM = 8 * PAGE, PIECE = 2 * PAGE };

static char *ordinary_words; /* what lists that are sent point to: the same in both turns */
extern char **environ;

static long answer(long r) {
    return r < 0 ? -errno : r;
}
static long made(int file) {
    return file < 0 ? -errno : (close(file), 0);
}

static long sum(const char *bytes, long n) {
    uint64_t hash = 14695981039346656037u;
    for (long k = 0; k < n; k++) hash = (hash ^ (unsigned char)bytes[k]) * 1099511628211u;
    return (long)(hash >> 2);
}

static int scratch(void) { /* a file of PIECE bytes that has no name */
    static char bytes[PIECE];
    const int file = memfd_create("scratch", 0);
    memset(bytes, 'f', sizeof bytes);
    if (write(file, bytes, sizeof bytes) != sizeof bytes || lseek(file, 0, SEEK_SET) != 0) return -1;
    return file;
}

static long in_file(int file, long r, long n) { /* what is there after a call that answered r */
    static char back[ROOM];
    if (r >= 0) r = pread(file, back, (size_t)n, 0) == n ? sum(back, n) : -1000;
    close(file);
    return r;
}

static long closing(int file, long r) {
    return close(file), r;
}

/* --- what the message holds at the place --- */
static void letters(char *at) {
    for (int k = 0; k < ROOM; k++) at[k] = (char)('a' + k % 23);
}
static void zeros(char *at) {
    memset(at, 0, ROOM);
}
static void text(char *at) {
    letters(at), at[ROOM - 1] = 0;
}
static void word(char *at) {
    zeros(at), strcpy(at, "exit 33");
}
static void missing(char *at) {
    zeros(at), strcpy(at, "/is/not/there");
}
static void root(char *at) {
    zeros(at), strcpy(at, "/");
}
static void soon(char *at) {
    zeros(at), ((struct timespec *)at)->tv_nsec = 1000;
}
static void later(char *at) {
    zeros(at), ((struct itimerspec *)at)->it_value.tv_sec = 1000;
}
static void list(char *at) {
    zeros(at), *(struct iovec *)at = (struct iovec){ordinary_words, 8};
}
static void words(char *at) {
    zeros(at), *(char **)at = ordinary_words;
}
static void a_poll(char *at) {
    zeros(at), *(struct pollfd *)at = (struct pollfd){-1, POLLIN, 0};
}
static void event(char *at) {
    zeros(at), ((struct epoll_event *)at)->events = EPOLLIN;
}
static void ones(char *at) {
    memset(at, 255, ROOM);
}
static void usr2(char *at) {
    zeros(at), sigaddset((sigset_t *)at, SIGUSR2);
}
static void ignoring(char *at) {
    zeros(at), ((struct sigaction *)at)->sa_handler = SIG_IGN;
}
static void lock(char *at) {
    zeros(at), *(struct flock *)at = (struct flock){.l_type = F_WRLCK};
}
static void address(char *at) {
    zeros(at), *(struct sockaddr_un *)at = (struct sockaddr_un){AF_UNIX, "/is/not/there"};
}
static void limit(char *at) {
    zeros(at), getrlimit(RLIMIT_CORE, (struct rlimit *)at);
}
static void header(char *at) {
    zeros(at), ((struct msghdr *)at)->msg_iov = (struct iovec *)ordinary_words, ((struct msghdr *)at)->msg_iovlen = 0;
}
static void yes(char *at) {
    zeros(at), *(int *)at = 1;
}

/* --- rows --- */
#define ROW(name) static long name(char *at)
static struct iovec *piece(char *at) {
    static struct iovec one;
    return one = (struct iovec){at, PIECE}, &one;
}
static struct msghdr *message(char *at) {
    static struct msghdr one;
    return one = (struct msghdr){.msg_iov = piece(at), .msg_iovlen = 1}, &one;
}
static int sockets[2];
static void pair(void) {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets)) abort();
}
static long passed(long r) { /* what came through the sockets */
    static char back[PIECE];
    if (r > 0) r = sum(back, recv(sockets[1], back, sizeof back, MSG_DONTWAIT));
    close(sockets[0]), close(sockets[1]);
    return r;
}
static long took(long r) {
    return close(sockets[0]), close(sockets[1]), r;
}
static void offered(void) {
    pair();
    if (send(sockets[0], ordinary_words, 64, 0) != 64) abort();
}

ROW(write_) {
    int f = scratch();
    return in_file(f, answer(write(f, at, PIECE)), PIECE);
}
ROW(pwrite_) {
    int f = scratch();
    return in_file(f, answer(pwrite(f, at, PIECE, 0)), PIECE);
}
ROW(raw_write) {
    int f = scratch();
    return in_file(f, answer(syscall(SYS_write, f, at, PIECE)), PIECE);
}
ROW(writev_) {
    int f = scratch();
    return in_file(f, answer(writev(f, piece(at), 1)), PIECE);
}
ROW(pwritev_) {
    int f = scratch();
    return in_file(f, answer(pwritev(f, piece(at), 1, 0)), PIECE);
}
ROW(pwritev2_) {
    int f = scratch();
    return in_file(f, answer(pwritev2(f, piece(at), 1, 0, 0)), PIECE);
}
ROW(list_of_pieces) {
    int f = scratch();
    return in_file(f, answer(writev(f, (struct iovec *)at, 1)), 8);
}
ROW(vmsplice_) {
    int p[2];
    static char b[PIECE];
    if (pipe(p)) return -1;
    long r = answer(vmsplice(p[1], piece(at), 1, 0));
    if (r > 0) r = sum(b, read(p[0], b, PIECE));
    close(p[0]);
    return closing(p[1], r);
}
ROW(send_) {
    pair();
    return passed(answer(send(sockets[0], at, PIECE, 0)));
}
ROW(sendmsg_) {
    pair();
    return passed(answer(sendmsg(sockets[0], message(at), 0)));
}
ROW(sendmmsg_) {
    pair();
    struct mmsghdr m = {*message(at), 0};
    return passed(answer(sendmmsg(sockets[0], &m, 1, 0)));
}
ROW(message_header) {
    pair();
    return took(answer(sendmsg(sockets[0], (struct msghdr *)at, MSG_DONTWAIT)));
}
ROW(sendto_address) {
    int s = socket(AF_UNIX, SOCK_DGRAM, 0);
    return closing(s, answer(sendto(s, "x", 1, 0, (void *)at, sizeof(struct sockaddr_un))));
}
ROW(read_) {
    int f = scratch();
    return closing(f, answer(read(f, at, PIECE)));
}
ROW(pread_) {
    int f = scratch();
    return closing(f, answer(pread(f, at, PIECE, 0)));
}
ROW(readv_) {
    int f = scratch();
    return closing(f, answer(readv(f, piece(at), 1)));
}
ROW(preadv_) {
    int f = scratch();
    return closing(f, answer(preadv(f, piece(at), 1, 0)));
}
ROW(raw_read) {
    int f = scratch();
    return closing(f, answer(syscall(SYS_read, f, at, PIECE)));
}
ROW(recv_) {
    offered();
    return took(answer(recv(sockets[1], at, PIECE, 0)));
}
ROW(recvmsg_) {
    offered();
    return took(answer(recvmsg(sockets[1], message(at), 0)));
}
ROW(recvmmsg_) {
    offered();
    struct mmsghdr m = {*message(at), 0};
    return took(answer(recvmmsg(sockets[1], &m, 1, 0, NULL)));
}
ROW(getdents) {
    int f = open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY);
    long r = answer(getdents64(f, at, PIECE));
    return closing(f, r > 0 ? 1 : r);
}
ROW(own_memory_read) {
    struct iovec there = {ordinary_words, 64};
    return answer(process_vm_readv(getpid(), piece(at), 1, &there, 1, 0));
}
ROW(own_memory_written) {
    struct iovec here = {ordinary_words, 64};
    return answer(process_vm_writev(getpid(), &here, 1, piece(at), 1, 0));
}
ROW(memory_file) {
    static char b[PIECE];
    int f = open("/proc/self/mem", O_RDONLY);
    long r = answer(pread(f, b, PIECE, (off_t)(uintptr_t)at));
    return closing(f, r > 0 ? sum(b, r) : r);
}
ROW(fwrite_unlocked_) {
    FILE *s = tmpfile();
    errno = 0;
    long r = (long)fwrite_unlocked(at, 1, PIECE, s) == PIECE && !fflush(s) ? 1 : -errno;
    r = in_file(dup(fileno(s)), r, PIECE);
    return fclose(s), r;
}
ROW(fputs_) {
    FILE *s = tmpfile();
    errno = 0;
    long r = fputs(at, s) >= 0 && !fflush(s) ? 1 : -errno;
    r = in_file(dup(fileno(s)), r, ROOM - 1);
    return fclose(s), r;
}
ROW(dprintf_) {
    int f = scratch();
    return in_file(f, answer(dprintf(f, "%s", at)), ROOM - 1);
}
ROW(fread_unlocked_) {
    FILE *s = fdopen(scratch(), "r");
    errno = 0;
    long r = (long)fread_unlocked(at, 1, PIECE, s);
    return fclose(s), r == PIECE ? r : -errno;
}
ROW(stream_buffer) {
    FILE *s = fdopen(scratch(), "r");
    setvbuf(s, at, _IOFBF, PIECE);
    errno = 0;
    long r = getc(s);
    if (r < 0) r = -errno;
    return fclose(s), r;
}
ROW(offset) {
    int f = scratch(), g = scratch();
    long r = answer(copy_file_range(f, (off64_t *)at, g, NULL, 100, 0));
    close(g);
    return closing(f, r);
}
ROW(aio) {
    int f = scratch();
    struct aiocb j = {.aio_fildes = f, .aio_buf = at, .aio_nbytes = PIECE};
    const struct aiocb *l[] = {&j};
    long r = aio_write(&j) ? -errno : 0;
    while (!r && aio_error(&j) == EINPROGRESS) aio_suspend(l, 1, NULL);
    if (!r) r = -aio_error(&j);
    if (!r) r = aio_return(&j);
    return in_file(f, r, PIECE);
}
ROW(kernel_aio) {
    aio_context_t context = 0;
    int f = scratch();
    struct iocb job = {.aio_fildes = (uint32_t)f,
                       .aio_lio_opcode = IOCB_CMD_PWRITE,
                       .aio_buf = (uintptr_t)at,
                       .aio_nbytes = PIECE},
                *jobs[] = {&job};
    struct io_event done;
    long r = answer(syscall(SYS_io_setup, 4, &context));
    if (r == 0) r = answer(syscall(SYS_io_submit, context, 1, jobs));
    if (r == 1) r = syscall(SYS_io_getevents, context, 1, 1, &done, NULL) == 1 ? done.res : -errno;
    syscall(SYS_io_destroy, context);
    return in_file(f, r, PIECE);
}
ROW(open_) {
    return made(open(at, O_RDONLY));
}
ROW(fopen_) {
    errno = 0;
    FILE *s = fopen(at, "r");
    return s ? fclose(s), 0 : -errno;
}
ROW(opendir_) {
    DIR *d = opendir(at);
    return d ? closedir(d), 0 : -errno;
}
ROW(stat_path) {
    struct stat s;
    return answer(stat(at, &s));
}
ROW(stat_result) {
    return answer(stat("/", (struct stat *)at));
}
ROW(statfs_result) {
    return answer(statfs("/", (struct statfs *)at));
}
ROW(access_) {
    return answer(access(at, R_OK));
}
ROW(readlink_path) {
    char b[99];
    return answer(readlink(at, b, sizeof b));
}
ROW(readlink_result) {
    return answer(readlink("/proc/self/exe", at, 400));
}
ROW(rename_) {
    return answer(rename(at, "/nowhere/at/all"));
}
ROW(unlink_) {
    return answer(unlink(at));
}
ROW(mkdir_) {
    return answer(mkdir(at, 0700));
}
ROW(chdir_) {
    int f = open(".", O_RDONLY);
    long r = answer(chdir(at));
    return closing(f, fchdir(f) ? -1 : r);
}
ROW(getcwd_) {
    return getcwd(at, PIECE) ? 0 : -errno;
}
ROW(getxattr_) {
    char b[9];
    return answer(getxattr("/", at, b, sizeof b));
}
ROW(memfd_name) {
    return made(memfd_create(at, 0));
}
ROW(execve_path) {
    char *w[] = {"x", NULL};
    return execve(at, w, environ), -errno;
}
ROW(execve_argument) {
    char *w[] = {"x", at, NULL};
    return execve("/dev/null", w, environ), -errno;
}
ROW(execve_list) {
    return execve("/dev/null", (char **)at, environ), -errno;
}
ROW(spawn_path) {
    pid_t p;
    char *w[] = {"x", NULL};
    return -posix_spawn(&p, at, NULL, NULL, w, environ);
}
ROW(system_) {
    return system(at);
}
ROW(popen_) {
    FILE *p = popen(at, "r");
    return p ? pclose(p) : -errno;
}
ROW(vforked) {
    int status, child = vfork();
    if (child == 0) execl("/bin/sh", "sh", "-c", at, NULL), _exit(99);
    return waitpid(child, &status, 0) == child ? status : -errno;
}
ROW(clock_) {
    return answer(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, (struct timespec *)at));
}
ROW(nanosleep_) {
    return answer(nanosleep((struct timespec *)at, NULL));
}
ROW(timerfd_in) {
    int f = timerfd_create(CLOCK_MONOTONIC, 0);
    return closing(f, answer(timerfd_settime(f, 0, (struct itimerspec *)at, NULL)));
}
ROW(futex_word) {
    return answer(syscall(SYS_futex, at, 128, 12345, NULL, NULL, 0));
}
ROW(futex_time) {
    int w = 1;
    return answer(syscall(SYS_futex, &w, 128, 1, at, NULL, 0));
}
ROW(poll_) {
    return answer(poll((struct pollfd *)at, 1, 0));
}
ROW(ppoll_mask) {
    struct timespec t = {0, 1000};
    return answer(ppoll(NULL, 0, &t, (sigset_t *)at));
}
ROW(pselect_mask) {
    struct timespec t = {0, 1000};
    return answer(pselect(0, NULL, NULL, NULL, &t, (sigset_t *)at));
}
ROW(select_set) {
    struct timeval t = {0, 0};
    return answer(select(1, (fd_set *)at, NULL, NULL, &t));
}
ROW(epoll_in) {
    int e = epoll_create1(0), v = eventfd(1, 0);
    long r = answer(epoll_ctl(e, EPOLL_CTL_ADD, v, (struct epoll_event *)at));
    close(v);
    return closing(e, r);
}
ROW(epoll_out) {
    int e = epoll_create1(0), v = eventfd(1, 0);
    struct epoll_event in = {.events = EPOLLIN};
    epoll_ctl(e, EPOLL_CTL_ADD, v, &in);
    long r = answer(epoll_wait(e, (struct epoll_event *)at, 4, 0));
    close(v);
    return closing(e, r);
}
ROW(eventfd_) {
    int v = eventfd(3, 0);
    return closing(v, answer(read(v, at, 8)));
}
ROW(action_in) {
    struct sigaction was;
    long r = answer(sigaction(SIGUSR2, (struct sigaction *)at, &was));
    return sigaction(SIGUSR2, &was, NULL), r;
}
ROW(action_out) {
    return answer(sigaction(SIGUSR2, NULL, (struct sigaction *)at));
}
ROW(mask_in) {
    sigset_t was;
    long r = answer(sigprocmask(SIG_BLOCK, (sigset_t *)at, &was));
    return sigprocmask(SIG_SETMASK, &was, NULL), r;
}
ROW(mask_out) {
    return answer(sigprocmask(SIG_BLOCK, NULL, (sigset_t *)at));
}
ROW(raw_mask_out) {
    return answer(syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, at, 8));
}
ROW(all_blocked) {
    sigset_t all, was;
    sigfillset(&all), sigprocmask(SIG_BLOCK, &all, &was);
    int f = scratch();
    long r = in_file(f, answer(write(f, at, PIECE)), PIECE);
    return sigprocmask(SIG_SETMASK, &was, NULL), r;
}
ROW(signalfd_) {
    return made((int)syscall(SYS_signalfd4, -1, at, 8, 0));
}
ROW(alternate_out) {
    return answer(sigaltstack(NULL, (stack_t *)at));
}
ROW(connect_) {
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    return closing(s, answer(connect(s, (void *)at, sizeof(struct sockaddr_un))));
}
ROW(option_in) {
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    return closing(s, answer(setsockopt(s, SOL_SOCKET, SO_PASSCRED, at, 4)));
}
ROW(name_out) {
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t n = 100;
    return closing(s, answer(getsockname(s, (void *)at, &n)));
}
ROW(ioctl_) {
    int p[2];
    if (pipe(p)) return -1;
    long r = answer(ioctl(p[0], FIONREAD, at));
    close(p[0]);
    return closing(p[1], r);
}
ROW(fcntl_) {
    int f = scratch();
    return closing(f, answer(fcntl(f, F_SETLK, (struct flock *)at)));
}
ROW(uname_) {
    return answer(uname((struct utsname *)at));
}
ROW(sysinfo_) {
    return answer(sysinfo((struct sysinfo *)at));
}
ROW(rusage) {
    return answer(getrusage(RUSAGE_SELF, (struct rusage *)at));
}
ROW(limit_in) {
    return answer(setrlimit(RLIMIT_CORE, (struct rlimit *)at));
}
ROW(random_) {
    return answer(syscall(SYS_getrandom, at, PIECE, 0));
}
ROW(affinity_in) {
    return answer(sched_setaffinity(0, 128, (cpu_set_t *)at));
}
ROW(mincore_) {
    return answer(mincore(at, ROOM, (unsigned char *)ordinary_words));
}
ROW(lock_memory) {
    return answer(mlock(at, PIECE)) + answer(munlock(at, PIECE));
}
ROW(protect) {
    return answer(mprotect(at, PIECE, PROT_READ | PROT_WRITE));
}

/* A thread that was there before MPI_Init makes the call. */
static atomic_long asked_for, has_answer;
static long worker_answer;
static void *worker(void *unused) {
    for (char *at;;) {
        while (!(at = (char *)atomic_exchange(&asked_for, 0))) usleep(100);
        int f = scratch();
        worker_answer = in_file(f, answer(write(f, at, PIECE)), PIECE), has_answer = 1;
    }
    return unused;
}
ROW(by_another_thread) {
    has_answer = 0, asked_for = (long)at;
    while (!has_answer) usleep(100);
    return worker_answer;
}
static void *writer(void *at) {
    int f = scratch();
    return (void *)in_file(f, answer(write(f, at, PIECE)), PIECE);
}
ROW(by_a_new_thread) {
    pthread_t t;
    void *r;
    return pthread_create(&t, NULL, writer, at) || pthread_join(t, &r) ? -1 : (long)r;
}

enum { SAME = 1, ANY = 0 }; /* memory is the same afterwards; or what a call writes differs from one time to the next */
static const struct row {
    const char *name;
    long (*use)(char *at);
    void (*fill)(char *at);
    int memory;
} rows[] = {
#define R(name, fill, memory) \
    { #name, name, fill, memory }
    R(write_, letters, SAME),
    R(pwrite_, letters, SAME),
    R(raw_write, letters, SAME),
    R(writev_, letters, SAME),
    R(pwritev_, letters, SAME),
    R(pwritev2_, letters, SAME),
    R(list_of_pieces, list, SAME),
    R(vmsplice_, letters, SAME),
    R(send_, letters, SAME),
    R(sendmsg_, letters, SAME),
    R(sendmmsg_, letters, SAME),
    R(message_header, header, SAME),
    R(sendto_address, address, SAME),
    R(read_, letters, SAME),
    R(pread_, letters, SAME),
    R(readv_, letters, SAME),
    R(preadv_, letters, SAME),
    R(raw_read, letters, SAME),
    R(recv_, letters, SAME),
    R(recvmsg_, letters, SAME),
    R(recvmmsg_, letters, SAME),
    R(getdents, letters, ANY),
    R(own_memory_read, letters, SAME),
    R(own_memory_written, letters, SAME),
    R(memory_file, letters, SAME),
    R(fwrite_unlocked_, letters, SAME),
    R(fputs_, text, SAME),
    R(dprintf_, text, SAME),
    R(fread_unlocked_, letters, SAME),
    R(stream_buffer, letters, SAME),
    R(offset, zeros, SAME),
    R(kernel_aio, letters, SAME),
    R(open_, missing, SAME),
    R(fopen_, missing, SAME),
    R(opendir_, root, SAME),
    R(stat_path, root, SAME),
    R(stat_result, letters, ANY),
    R(statfs_result, letters, ANY),
    R(access_, missing, SAME),
    R(readlink_path, missing, SAME),
    R(readlink_result, letters, SAME),
    R(rename_, missing, SAME),
    R(unlink_, missing, SAME),
    R(mkdir_, missing, SAME),
    R(chdir_, root, SAME),
    R(getcwd_, letters, SAME),
    R(getxattr_, missing, SAME),
    R(memfd_name, word, SAME),
    R(execve_path, missing, SAME),
    R(execve_argument, word, SAME),
    R(execve_list, words, SAME),
    R(spawn_path, missing, SAME),
    R(system_, word, SAME),
    R(popen_, word, SAME),
    R(vforked, word, SAME),
    R(clock_, letters, ANY),
    R(nanosleep_, soon, SAME),
    R(timerfd_in, later, SAME),
    R(futex_word, letters, SAME),
    R(futex_time, soon, SAME),
    R(poll_, a_poll, SAME),
    R(ppoll_mask, usr2, SAME),
    R(pselect_mask, usr2, SAME),
    R(select_set, zeros, SAME),
    R(epoll_in, event, SAME),
    R(epoll_out, letters, SAME),
    R(eventfd_, letters, SAME),
    R(action_in, ignoring, SAME),
    R(action_out, letters, ANY),
    R(mask_in, usr2, SAME),
    R(mask_out, letters, SAME),
    R(raw_mask_out, letters, SAME),
    R(all_blocked, letters, SAME),
    R(signalfd_, usr2, SAME),
    R(alternate_out, letters, SAME),
    R(connect_, address, SAME),
    R(option_in, yes, SAME),
    R(name_out, letters, SAME),
    R(ioctl_, letters, SAME),
    R(fcntl_, lock, SAME),
    R(uname_, letters, SAME),
    R(sysinfo_, letters, ANY),
    R(rusage, letters, ANY),
    R(limit_in, limit, SAME),
    R(random_, letters, ANY),
    R(affinity_in, ones, SAME),
    R(mincore_, letters, SAME),
    R(lock_memory, letters, SAME),
    R(protect, letters, SAME),
    R(by_another_thread, letters, SAME),
    R(by_a_new_thread, letters, SAME),
    R(aio, letters, SAME), /* the last: its thread stays for a while */
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Asked without a system call on the page itself, which would wait for it. */
static int is_closed(const char *where) {
    unsigned long begin, end;
    char line[500], access[8];
    int closed = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && begin <= (uintptr_t)where &&
            (uintptr_t)where < end)
            closed = access[0] == '-';
    if (maps) fclose(maps);
    uint64_t entry = 0;
    const int pages = open("/proc/self/pagemap", O_RDONLY);
    if (pages >= 0 &&
        pread(pages, &entry, sizeof entry, (off_t)((uintptr_t)where / PAGE * sizeof entry)) == sizeof entry)
        closed |= !(entry >> 63);
    if (pages >= 0) close(pages);
    return closed;
}

static char *mapped(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void reset(void) {
    memset(ordinary_words, 0, ROOM), strcpy(ordinary_words, "ordinary");
}

static int receives(const struct row *row, int tag) { /* is it right? */
    static char wanted[ROOM];
    char *alone = mapped(ROOM), *block = mapped(BYTES), *at = block + AT;
    int token = tag;
    row->fill(alone), reset();
    const long expected = row->use(alone);
    memcpy(wanted, alone, ROOM);
    memset(block, 'B', BYTES), reset();
    if (row->fill == list || row->fill == words || row->fill == header) row->fill(alone);
    MPI_Send(alone, row->fill == list || row->fill == words || row->fill == header ? ROOM : 0, MPI_BYTE, 0, 9000,
             MPI_COMM_WORLD);
    MPI_Recv(block, BYTES, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int closed = is_closed(at + PAGE);
    const long got = row->use(at);
    const char *said = got == -EFAULT && expected != got                                      ? "EFAULT"
                       : got != expected || (row->memory == SAME && memcmp(at, wanted, ROOM)) ? "other"
                                                                                              : "same";
    if (memcmp(said, "same", 4)) printf("# %s: %ld instead of %ld\n", row->name, got, expected);
    memcpy(wanted, at, ROOM);
    MPI_Sendrecv_replace(&token, 1, MPI_INT, 0, 9001, 0, 9001, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* all has come */
    if (memcmp(at, wanted, ROOM)) said = "late";
    printf("%s %s %s\n", row->name, said, closed ? "closed" : "open");
    munmap(block, BYTES), munmap(alone, ROOM);
    return strcmp(said, "same") == 0;
}

static void sends(const struct row *row, int tag) {
    char *block = mapped(BYTES);
    int token, given;
    MPI_Status status;
    memset(block, 'm', BYTES), row->fill(block + AT);
    MPI_Probe(1, 9000, MPI_COMM_WORLD, &status), MPI_Get_count(&status, MPI_BYTE, &given);
    MPI_Recv(given ? (void *)(block + AT) : &token, given, MPI_BYTE, 1, 9000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(block, BYTES, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
    MPI_Sendrecv_replace(&token, 1, MPI_INT, 1, 9001, 1, 9001, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    munmap(block, BYTES);
}

int main(int argc, char **argv) {
    int rank, provided, count = 0, wrong = 0;
    pthread_t early;
    if (pthread_create(&early, NULL, worker, NULL)) return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsetenv("LD_PRELOAD"); /* children are no ranks */
    ordinary_words = mapped(ROOM);
    for (int k = 0; k < ROWS; k++) {
        int asked = argc < 2;
        for (int a = 1; a < argc; a++) asked |= strcmp(argv[a], rows[k].name) == 0;
        if (!asked) continue;
        count++;
        if (rank == 0) sends(&rows[k], k + 1);
        if (rank == 1) wrong += !receives(&rows[k], k + 1);
    }
    if (rank == 1) printf("%d rows, %d wrong\n", count, wrong);
    MPI_Finalize();
    return wrong != 0;
}
