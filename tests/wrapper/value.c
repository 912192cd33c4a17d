/* What flags.c sends: a function of another file, which -flto=thin may inline. */
#ifdef __cplusplus
extern "C" double value(int i, int turn);
#endif
double value(int i, int turn) {
    return (i % 1000) * 0.25 + turn;
}
