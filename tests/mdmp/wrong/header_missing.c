void f(double *a, int n, int next) {
#pragma send(a[0:n], next)
//      ^ send is a directive of MDMP: write #include <stretto/mdmp.h> before it
#pragma recv(a[0:n], next)
}
