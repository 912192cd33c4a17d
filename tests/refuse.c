/* refuse userfaultfd|memfd|dispatch PROGRAM ...: the program in a sandbox that answers EPERM to this. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYSCALL_USER_DISPATCH = 59 }; /* PR_SET_SYSCALL_USER_DISPATCH */

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const int dispatch = strcmp(argv[1], "dispatch") == 0, memfd = strcmp(argv[1], "memfd") == 0;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                 dispatch ? SYS_prctl
                 : memfd  ? SYS_memfd_create
                          : SYS_userfaultfd,
                 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYSCALL_USER_DISPATCH, 0, dispatch ? 1 : 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 3;
    execvp(argv[2], argv + 2);
    return 4;
}
