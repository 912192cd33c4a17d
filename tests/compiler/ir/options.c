// The options of the pass, by the environment.
// RUN: env STRETTO_PASS_OPTIONS="-stretto-strip-bytes=4096 -stretto-check -stretto-plan=%t.yaml" %clang -O2 -S -emit-llvm -Rpass=stretto -fno-caret-diagnostics %s -o %t.ll 2>&1 | %FileCheck %s --check-prefix=SAID
// RUN: %FileCheck %s --input-file=%t.ll --check-prefix=CHECKED
// RUN: %FileCheck %s --input-file=%t.yaml --check-prefix=PLAN
// RUN: env STRETTO_PASS_OPTIONS=-stretto-what=receive %clang -O2 -c -Rpass-missed=stretto -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=RECEIVE
// RUN: not env STRETTO_PASS_OPTIONS=-stretto-wat=1 %clang -O2 -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: %clang -Xclang -load -Xclang %plugin -mllvm -stretto-strip-bytes=8192 -O2 -c -Rpass=stretto -fno-caret-diagnostics %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=EARLY
#include <mpi.h>

void fill(double *b, int n, int dest) {
  for (int i = 0; i < n; ++i)
    b[i] = i * 0.5;
  MPI_Send(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
  MPI_Ssend(b, n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}
// SAID: strips of 512 iterations
// CHECKED: @stretto.call.fill{{.*}} = internal global { i32, i32, i32, i32, ptr, ptr, ptr } { i32 1, i32 1,
// EARLY: strips of 1024 iterations
// RECEIVE: send at line 13 stays as it is: -fstretto=receive leaves it out
// WRONG: STRETTO_PASS_OPTIONS: there is no option -stretto-wat=1; there are -stretto-strip-bytes=N
// PLAN: - call: {{ *}}MPI_Send
// PLAN-NEXT: what: {{ *}}send
// PLAN-NEXT: function: {{ *}}fill
// PLAN: line: {{ *}}13
// PLAN: done: {{ *}}true
// PLAN: loop:
// PLAN: line: {{ *}}11
// PLAN: direction: {{ *}}ascending
// PLAN-NEXT: strip: {{ *}}512 iterations
// PLAN-NEXT: frontier:
// PLAN-NEXT: - '0 + t * 8'
// PLAN: call: {{ *}}MPI_Ssend
// PLAN: done: {{ *}}false
// PLAN-NEXT: reason: {{ *}}only MPI_Send
