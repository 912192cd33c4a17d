// C++: what is thrown is caught, and what is destroyed is destroyed once.
// RUN: %plain_c++ -O2 %s %double -lm -o %t.plain && %t.plain > %t.want
// RUN: %clang++ -O2 %s %double -lm -o %t.with && %t.with > %t.got 2> %t.err && diff %t.want %t.got
// RUN: %FileCheck %s --input-file=%t.err
// RUN: env STRETTO_PASS_OPTIONS=-stretto-strip-bytes=64 %clang++ -O3 -g %s %double -lm -o %t.fine && %t.fine > %t.got && diff %t.want %t.got
// CHECK: double: {{[2-9]}} begun, {{[1-9][0-9][0-9][0-9][0-9]+}} bytes early

#include <cmath>
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <vector>

struct Counted {
  static inline int alive = 0;
  Counted() { ++alive; }
  ~Counted() { --alive; }
};

__attribute__((noinline)) void send(int n, int dest) {
  Counted counted;
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i)
    b[i] = std::sqrt(i);
  MPI_Send(b.data(), n, MPI_DOUBLE, dest, 1, MPI_COMM_WORLD);
}

__attribute__((noinline)) double receive(int n) {
  Counted counted;
  auto b = std::make_unique<double[]>(n);
  MPI_Recv(b.get(), n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 0.75 + b[i];
  return sum;
}

__attribute__((noinline)) void halos(const std::vector<double> &u, int above, int below) {
  std::vector<double> up(u.size()), down(u.size());
  for (std::size_t i = 0; i < u.size(); ++i)
    up[i] = u[i] * 2;
  for (std::size_t i = 0; i < u.size(); ++i)
    down[i] = u[i] * 3;
  MPI_Send(up.data(), int(u.size()), MPI_DOUBLE, above, 3, MPI_COMM_WORLD);
  MPI_Send(down.data(), int(u.size()), MPI_DOUBLE, below, 3, MPI_COMM_WORLD);
}

int main() {
  for (int n : {20000, 0, 1, 3000}) {
    send(n, 1);
    std::printf("%d %.17g\n", n, receive(n));
  }
  halos(std::vector<double>(9000, 1.5), 1, 2);
  halos({}, 1, 2);
  std::printf("%d alive\n", Counted::alive);
}
