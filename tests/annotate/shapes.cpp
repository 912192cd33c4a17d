// As shapes.c, in C++: vectors, arrays, members, sizes.
#include <array>
#include <cmath>
#include <cstdio>
#include <mpi.h>
#include <vector>

static int rank;

static void show(const char *what, double sum) {
    if (rank == 0) std::printf("%s %.17g\n", what, sum);
}

static void vectors(int n) {
    std::vector<double> b(n);
    if (rank == 1) {
        for (int i = 0; i < n; ++i) b[i] = std::sqrt(i);
        MPI_Send(b.data(), n, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(&b[0], n, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; ++i) {
            sum += b[i] * i;
        }
        show("vectors", sum);
    }
}

static void arrays(std::array<float, 9000> &b) {
    if (rank == 1) {
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0.5f * float(i);
        MPI_Send(b.data(), int(b.size()), MPI_FLOAT, 0, 2, MPI_COMM_WORLD);
    } else {
        double sum = 0;
        MPI_Recv(b.data(), 9000, MPI_FLOAT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 8999; i >= 0; --i) sum += b[i] / (i + 1);
        show("arrays", sum);
    }
}

class Field {
public:
    explicit Field(int n) : data(new double[n]), n(n) {}
    ~Field() { delete[] data; }
    void exchange() {
        if (rank == 1) {
            for (int i = 0; i < n; ++i) data[i] = 0.5 * i;
            MPI_Send(data, n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
        } else {
            double *const b = data;
            const int m = n;
            MPI_Recv(b, m, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            double sum = 0;
            for (int i = 0; i != m; ++i) sum += b[i];
            show("member", sum);
        }
    }

private:
    double *data;
    int n;
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static std::array<float, 9000> b;
    for (int turn = 0; turn < 3; ++turn) {
        vectors(5000 + turn);
        arrays(b);
        Field(7000).exchange();
    }
    MPI_Finalize();
}
