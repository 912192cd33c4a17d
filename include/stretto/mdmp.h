/* mdmp.h: MDMP's directives (docs/mdmp.md). A program says what to communicate; Stretto does it.
 *
 *     #include <stretto/mdmp.h>
 *
 *     #pragma commregion
 *     for (iter = 1; iter <= maxiter; iter++) {
 *         #pragma recv(old[0][1], np, prev)
 *         #pragma recv(old[mp + 1][1], np, next)
 *         #pragma send(old[mp][1], np, next)
 *         #pragma send(old[1][1], np, prev)
 *         ...
 *         #pragma reduce(max: change)
 *     }
 *     #pragma commregionfinished
 *
 * stretto-cc and stretto-c++ compile the directives. Another compiler ignores a pragma that it does not know, and the program would be
 * wrong without a word. So this header is an error there, unless the program asks for the library form, which every compiler takes:
 *
 *     #define STRETTO_MDMP_CALLS
 *     #include <stretto/mdmp.h>
 *
 *     MDMP_REGION();
 *     for (iter = 1; iter <= maxiter; iter++) {
 *         MDMP_EXCHANGE();
 *         MDMP_RECV(old[0][1], np, prev);
 *         MDMP_RECV(old[mp + 1][1], np, next);
 *         MDMP_SEND(old[mp][1], np, next);
 *         MDMP_SEND(old[1][1], np, prev);
 *         MDMP_EXCHANGE_END();
 *         ...
 *         MDMP_REDUCE(max, change, 1);
 *     }
 *     MDMP_REGION_END();
 */
#ifndef STRETTO_MDMP_H
#define STRETTO_MDMP_H

/* STRETTO_MDMP_DIRECTIVES is the compiler's word that it knows the directives. */
#if !defined STRETTO_MDMP_DIRECTIVES && !defined STRETTO_MDMP_CALLS
#ifdef STRETTO_MDMP_NO_PLUGIN /* of stretto-cc */
#error \
    "stretto-cc has no plugin for MDMP's directives by this clang: build Stretto where its libclang-N-dev is installed, or define STRETTO_MDMP_CALLS and use the MDMP_* macros"
#else
#error \
    "this compiler ignores MDMP's directives: compile with stretto-cc, or define STRETTO_MDMP_CALLS and use the MDMP_* macros"
#endif
#endif

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <array>
#include <complex>
#include <memory>
#include <type_traits>
extern "C" {
#endif

/* === what a compiler calls (runtime/front/mdmp/) =================================================================================
 *
 *     #pragma commregion           =>    stretto_region_begin(&directive, NULL);
 *     #pragma recv(a[0], n, 1)     =>    stretto_range_recv(&directive, &a[0], n, bytes, 1, STRETTO_TAG_IMPLIED, NULL);
 *     #pragma send(b[0:m][1], 1)   =>    stretto_section_send(&directive, &b[0][1], 1, &m, &stride, bytes, 1, STRETTO_TAG_IMPLIED, NULL);
 *                                        stretto_exchange(&directive, 2);    of the last directive of the exchange
 *     #pragma reduce(+: sum)       =>    stretto_range_reduce(&directive, STRETTO_OP_ADD, &sum, 1, bytes, STRETTO_TYPE_FLOATING,
 *                                                             STRETTO_ROOT_ALL, NULL);
 *     #pragma bcast(a[0:n], root(0))  => stretto_range_bcast(&directive, &a[0], n, bytes, 0, NULL);
 *     #pragma commregionfinished   =>    stretto_region_end(&directive);
 *
 * Sends and receives with nothing between them are one exchange. No function returns an error: what is wrong ends the job with a message that
 * names the directive. */

#define STRETTO_MDMP_VERSION 1

/* What is wrong ends the job: a compiler need not be ready for an exception. */
#ifdef __cplusplus
#define STRETTO_MDMP_NOTHROW noexcept
#elif defined __GNUC__
#define STRETTO_MDMP_NOTHROW __attribute__((__nothrow__))
#else
#define STRETTO_MDMP_NOTHROW
#endif

/* One for each directive in the source, static and writable. */
struct stretto_directive {
    uint32_t version;      /* STRETTO_MDMP_VERSION */
    uint32_t flags;        /* STRETTO_DIRECTIVE_* */
    uint32_t line, column; /* 0: not known */
    const char *file;      /* as the compiler was given it; NULL: not known */
    const char *function;  /* NULL: not known */
    const char *text;      /* the section, or the region's name, as it is written; NULL: not known */
    const void *known;     /* the runtime's; NULL at first */
};

/* Nothing says where its exchange ends: it is an exchange of its own, unless stretto_exchange_begin() has opened one. */
#define STRETTO_DIRECTIVE_ALONE 1u

/* No tag was given: the messages match those without a tag, in their order. */
#define STRETTO_TAG_IMPLIED INT32_MIN

#define STRETTO_MDMP_DIMENSIONS 15 /* at most, as Fortran's */

/* Initializes MPI where the program has not. comm: whose ranks the partners are; NULL: MPI_COMM_WORLD's. All ranks of the communicator
 * begin the region. */
void stretto_region_begin(struct stretto_directive *directive, const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;
void stretto_region_end(struct stretto_directive *directive) STRETTO_MDMP_NOTHROW;

/* Element (i, j, ...) of the section is at first + i * stride[0] + j * stride[1] + ..., with i below count[0]; the last index runs fastest.
 * Strides are bytes, and may be negative. No dimension: one element. partner: a rank, or MPI_PROC_NULL. tag: 0 or more, or
 * STRETTO_TAG_IMPLIED. comm: that of a region around the directive; NULL: of the innermost one. What is pointed to is read at once. */
void stretto_section_send(struct stretto_directive *directive, const void *first, int dimensions, const int64_t count[],
                          const int64_t stride[], int64_t element_bytes, int partner, int tag,
                          const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;
void stretto_section_recv(struct stretto_directive *directive, void *first, int dimensions, const int64_t count[],
                          const int64_t stride[], int64_t element_bytes, int partner, int tag,
                          const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;

/* A section without gaps: so many elements from the first one on. */
void stretto_range_send(struct stretto_directive *directive, const void *first, int64_t elements, int64_t element_bytes,
                        int partner, int tag, const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;
void stretto_range_recv(struct stretto_directive *directive, void *first, int64_t elements, int64_t element_bytes,
                        int partner, int tag, const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;

/* The thread's sections since the last exchange: receives are posted, sends started, all waited for. sections: how many those are that
 * stand in front of this call, for who takes the exchange apart (abi.h); 0: it is not known. */
void stretto_exchange(struct stretto_directive *directive, int sections) STRETTO_MDMP_NOTHROW;
/* Of the library form: sections that are alone join, until stretto_exchange(). */
void stretto_exchange_begin(struct stretto_directive *directive) STRETTO_MDMP_NOTHROW;

/* What a reduction makes of the elements of all ranks. */
#define STRETTO_OP_ADD 1
#define STRETTO_OP_MULTIPLY 2
#define STRETTO_OP_MIN 3
#define STRETTO_OP_MAX 4
#define STRETTO_OP_AND 5 /* && */
#define STRETTO_OP_OR 6  /* || */
#define STRETTO_OP_BITS_AND 7
#define STRETTO_OP_BITS_OR 8
#define STRETTO_OP_BITS_XOR 9

/* What its elements are, beside their size; 0: no numbers. */
#define STRETTO_TYPE_SIGNED 1
#define STRETTO_TYPE_UNSIGNED 2
#define STRETTO_TYPE_FLOATING 3
#define STRETTO_TYPE_COMPLEX 4
#define STRETTO_TYPE_BOOL 5

/* All ranks have the result. */
#define STRETTO_ROOT_ALL INT32_MIN

/* Each element is reduced over all ranks of the communicator, in place: they all call it, with as many elements. root: the rank that has
 * the result, or STRETTO_ROOT_ALL. */
void stretto_section_reduce(struct stretto_directive *directive, int op, void *first, int dimensions,
                            const int64_t count[], const int64_t stride[], int64_t element_bytes, int type, int root,
                            const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;
void stretto_range_reduce(struct stretto_directive *directive, int op, void *first, int64_t elements,
                          int64_t element_bytes, int type, int root, const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;

/* All ranks of the communicator get the root's values. */
void stretto_section_bcast(struct stretto_directive *directive, void *first, int dimensions, const int64_t count[],
                           const int64_t stride[], int64_t element_bytes, int root,
                           const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;
void stretto_range_bcast(struct stretto_directive *directive, void *first, int64_t elements, int64_t element_bytes,
                         int root, const MPI_Comm *comm) STRETTO_MDMP_NOTHROW;

/* Fortran: communicators are its integers. Not of the standard ABI, whose C library knows nothing of Fortran. */
#ifndef MPI_ABI_VERSION
void stretto_region_begin_f(struct stretto_directive *directive, const MPI_Fint *comm);
void stretto_section_send_f(struct stretto_directive *directive, const void *first, int dimensions,
                            const int64_t count[], const int64_t stride[], int64_t element_bytes, int partner, int tag,
                            const MPI_Fint *comm);
void stretto_section_recv_f(struct stretto_directive *directive, void *first, int dimensions, const int64_t count[],
                            const int64_t stride[], int64_t element_bytes, int partner, int tag, const MPI_Fint *comm);
void stretto_section_reduce_f(struct stretto_directive *directive, int op, void *first, int dimensions,
                              const int64_t count[], const int64_t stride[], int64_t element_bytes, int type, int root,
                              const MPI_Fint *comm);
void stretto_section_bcast_f(struct stretto_directive *directive, void *first, int dimensions, const int64_t count[],
                             const int64_t stride[], int64_t element_bytes, int root, const MPI_Fint *comm);
#endif

#ifdef __cplusplus
}
#endif

/* === types =======================================================================================================================
 *
 * STRETTO_MDMP_ELEMENT(element): its size in bytes; STRETTO_MDMP_ADDRESS(element): where it is. What cannot be sent as bytes is refused:
 * pointers, arrays (an element of them is meant), and in C++ what is not trivially copyable. The element is not evaluated for its size.
 * STRETTO_MDMP_NUMBER(element): its STRETTO_TYPE_*. */
#ifdef __cplusplus
namespace stretto_mdmp {
template <typename Element>
constexpr int64_t element_bytes() {
    using Type = typename std::remove_cv<typename std::remove_reference<Element>::type>::type;
    static_assert(std::is_lvalue_reference<Element>::value, "MDMP: a section begins at an element, which is an lvalue");
    static_assert(!std::is_array<Type>::value,
                  "MDMP: a section begins at an element: write a[0], not the name of the array");
    static_assert(!std::is_pointer<Type>::value && !std::is_member_pointer<Type>::value,
                  "MDMP: a pointer means nothing to another rank: send what it points to");
    static_assert(std::is_trivially_copyable<Type>::value,
                  "MDMP: only elements that are trivially copyable can be sent: a class that owns memory cannot");
    return static_cast<int64_t>(sizeof(Type));
}
template <typename Type>
struct is_complex : std::false_type {};
template <typename Part>
struct is_complex<std::complex<Part>> : std::is_floating_point<Part> {};
template <typename Type>
constexpr int number_of() {
    return std::is_same<Type, bool>::value       ? STRETTO_TYPE_BOOL
           : is_complex<Type>::value             ? STRETTO_TYPE_COMPLEX
           : std::is_floating_point<Type>::value ? STRETTO_TYPE_FLOATING
           : !std::is_integral<Type>::value      ? 0
           : sizeof(Type) > sizeof(int64_t)      ? 0
           : std::is_signed<Type>::value         ? STRETTO_TYPE_SIGNED
                                                 : STRETTO_TYPE_UNSIGNED;
}
template <typename Element>
constexpr int number() {
    return number_of<typename std::remove_cv<typename std::remove_reference<Element>::type>::type>();
}
constexpr bool reduces(int op, int type) {
    return op <= STRETTO_OP_MULTIPLY ? type != STRETTO_TYPE_BOOL
           : op <= STRETTO_OP_MAX    ? type < STRETTO_TYPE_COMPLEX
                                     : type < STRETTO_TYPE_FLOATING || type == STRETTO_TYPE_BOOL;
}
template <typename Integer>
constexpr int64_t integer(Integer value) {
    static_assert(std::is_integral<Integer>::value || std::is_enum<Integer>::value,
                  "MDMP: counts and strides are integers");
    return static_cast<int64_t>(value);
}
template <typename... Integers>
constexpr std::array<int64_t, sizeof...(Integers)> list(Integers... values) {
    return {{integer(values)...}};
}
} // namespace stretto_mdmp
#define STRETTO_MDMP_ELEMENT(element) (stretto_mdmp::element_bytes<decltype((element))>())
#define STRETTO_MDMP_ADDRESS(element) (std::addressof(element))
#define STRETTO_MDMP_NUMBER(element) (stretto_mdmp::number<decltype((element))>())
#else
#define STRETTO_MDMP_ADDRESS(element) (&(element))
#define STRETTO_MDMP_NUMBER(element)                                                         \
    _Generic((element), _Bool                                                                \
             : STRETTO_TYPE_BOOL, char                                                       \
             : (char)-1 < (char)0 ? STRETTO_TYPE_SIGNED : STRETTO_TYPE_UNSIGNED, signed char \
             : STRETTO_TYPE_SIGNED, short                                                    \
             : STRETTO_TYPE_SIGNED, int                                                      \
             : STRETTO_TYPE_SIGNED, long                                                     \
             : STRETTO_TYPE_SIGNED, long long                                                \
             : STRETTO_TYPE_SIGNED, unsigned char                                            \
             : STRETTO_TYPE_UNSIGNED, unsigned short                                         \
             : STRETTO_TYPE_UNSIGNED, unsigned                                               \
             : STRETTO_TYPE_UNSIGNED, unsigned long                                          \
             : STRETTO_TYPE_UNSIGNED, unsigned long long                                     \
             : STRETTO_TYPE_UNSIGNED, float                                                  \
             : STRETTO_TYPE_FLOATING, double                                                 \
             : STRETTO_TYPE_FLOATING, long double                                            \
             : STRETTO_TYPE_FLOATING, float _Complex                                         \
             : STRETTO_TYPE_COMPLEX, double _Complex                                         \
             : STRETTO_TYPE_COMPLEX, long double _Complex                                    \
             : STRETTO_TYPE_COMPLEX, default : 0)
#ifdef __GNUC__
/* 5 is the class of pointers, and of arrays, which become one. */
#define STRETTO_MDMP_ELEMENT(element)                                                              \
    ((int64_t)sizeof(struct {                                                                      \
         _Static_assert(__builtin_classify_type(element) != 5,                                     \
                        "MDMP: a section begins at an element, which is no pointer and no array"); \
         char none;                                                                                \
     }) * 0 +                                                                                      \
     (int64_t)sizeof(element))
#else
#define STRETTO_MDMP_ELEMENT(element) ((int64_t)sizeof(element))
#endif
#endif

/* === the library form ============================================================================================================
 *
 * A partner is a rank, or MDMP_NONE. Behind it may stand MDMP_TAG(tag) and MDMP_COMM(comm).
 *
 *     MDMP_REGION();  MDMP_REGION(MDMP_COMM(comm));  MDMP_REGION_END();
 *     MDMP_SEND(old[1][1], np, prev);                    np elements from old[1][1] on, as they lie in memory
 *     MDMP_SEND(old[1][1], np, prev, MDMP_TAG(3), MDMP_COMM(comm));
 *     MDMP_SEND_SECTION(old[1][1], (mp), (np + 2), prev);             a column: mp elements, each np + 2 further
 *     MDMP_SEND_SECTION(a[1][0][1], (l, n), (m * (n + 2), 1), prev);  l rows of n elements: counts, and strides in elements
 *     MDMP_EXCHANGE();  ...  MDMP_EXCHANGE_END();        the sends and receives between them are one exchange
 *
 * A send or a receive outside MDMP_EXCHANGE waits by itself, as MPI_Send and MPI_Recv do.
 *
 * All ranks of the communicator do a reduction or a broadcast, outside of an exchange. An operation is + * min max && || & | or ^.
 *
 *     MDMP_REDUCE(+, sum, 1);                            all ranks get the sum over all
 *     MDMP_REDUCE(max, a[0], n, MDMP_ROOT(0), MDMP_COMM(comm));       rank 0 gets n maxima
 *     MDMP_REDUCE_SECTION(+, a[1][0], (mp), (np + 2));   of a column
 *     MDMP_BCAST(a[0], n, 0);  MDMP_BCAST(a[0], n, 0, MDMP_COMM(comm));  all ranks get the n elements of rank 0
 *     MDMP_BCAST_SECTION(a[1][0], (mp), (np + 2), 0); */
#define MDMP_NONE MPI_PROC_NULL

#define MDMP_TAG(tag) stretto_mdmp_tag_ = (tag)
#define MDMP_ROOT(root) stretto_mdmp_root_ = (root)
#define MDMP_COMM(comm) stretto_mdmp_given_ = (comm), stretto_mdmp_comm_ = &stretto_mdmp_given_

#define MDMP_REGION(...)                                                            \
    do {                                                                            \
        static struct stretto_directive stretto_mdmp_ = STRETTO_MDMP_HERE(0, NULL); \
        STRETTO_MDMP_COMM_IF_ANY                                                    \
        __VA_ARGS__;                                                                \
        stretto_region_begin(&stretto_mdmp_, stretto_mdmp_comm_);                   \
    } while (0)
#define MDMP_REGION_END() STRETTO_MDMP_CALL(stretto_region_end(&stretto_mdmp_))

#define MDMP_EXCHANGE() STRETTO_MDMP_CALL(stretto_exchange_begin(&stretto_mdmp_))
#define MDMP_EXCHANGE_END() STRETTO_MDMP_CALL(stretto_exchange(&stretto_mdmp_, 0))

#define MDMP_SEND(first, count, ...) STRETTO_MDMP_SECTION(send, first, #first, (count), (1), __VA_ARGS__)
#define MDMP_RECV(first, count, ...) STRETTO_MDMP_SECTION(recv, first, #first, (count), (1), __VA_ARGS__)
#define MDMP_SEND_SECTION(first, counts, strides, ...) \
    STRETTO_MDMP_SECTION(send, first, #first, counts, strides, __VA_ARGS__)
#define MDMP_RECV_SECTION(first, counts, strides, ...) \
    STRETTO_MDMP_SECTION(recv, first, #first, counts, strides, __VA_ARGS__)

/* Behind the first element: the count, MDMP_ROOT(root), MDMP_COMM(comm). */
#define MDMP_REDUCE(op, first, ...) STRETTO_MDMP_REDUCE_COUNT(#op, first, #op ": " #first, __VA_ARGS__, (void)0)
#define MDMP_REDUCE_SECTION(op, first, counts, ...) \
    STRETTO_MDMP_REDUCE(#op, first, #op ": " #first, counts, __VA_ARGS__, (void)0)
#define MDMP_BCAST(first, count, ...) STRETTO_MDMP_BCAST(first, #first, (count), (1), __VA_ARGS__)
#define MDMP_BCAST_SECTION(first, counts, strides, ...) STRETTO_MDMP_BCAST(first, #first, counts, strides, __VA_ARGS__)

/* What these are made of. Nothing here is for programs. */
#define STRETTO_MDMP_HERE(flags, text) \
    { STRETTO_MDMP_VERSION, flags, __LINE__, 0, __FILE__, NULL, text, NULL }

#define STRETTO_MDMP_COMM_IF_ANY                  \
    MPI_Comm stretto_mdmp_given_ = MPI_COMM_NULL; \
    const MPI_Comm *stretto_mdmp_comm_ = NULL;    \
    (void)stretto_mdmp_given_;

#define STRETTO_MDMP_CALL(call)                                                     \
    do {                                                                            \
        static struct stretto_directive stretto_mdmp_ = STRETTO_MDMP_HERE(0, NULL); \
        call;                                                                       \
    } while (0)

#define STRETTO_MDMP_SECTION(way, first, text, counts, strides, ...)                                           \
    do {                                                                                                       \
        static struct stretto_directive stretto_mdmp_ = STRETTO_MDMP_HERE(STRETTO_DIRECTIVE_ALONE, text);      \
        STRETTO_MDMP_LIST(stretto_mdmp_counts_) = STRETTO_MDMP_VALUES counts;                                  \
        STRETTO_MDMP_LIST(stretto_mdmp_strides_) = STRETTO_MDMP_VALUES strides;                                \
        int stretto_mdmp_partner_, stretto_mdmp_tag_ = STRETTO_TAG_IMPLIED;                                    \
        STRETTO_MDMP_COMM_IF_ANY                                                                               \
        stretto_mdmp_partner_ = __VA_ARGS__;                                                                   \
        STRETTO_MDMP_CHECK_##way(first, &stretto_mdmp_)                                                        \
            STRETTO_MDMP_SAME_LENGTH(stretto_mdmp_counts_, stretto_mdmp_strides_);                             \
        stretto_mdmp_##way(&stretto_mdmp_, STRETTO_MDMP_ADDRESS(first), STRETTO_MDMP_OF(stretto_mdmp_counts_), \
                           STRETTO_MDMP_DATA(stretto_mdmp_strides_), STRETTO_MDMP_ELEMENT(first),              \
                           stretto_mdmp_partner_, stretto_mdmp_tag_, stretto_mdmp_comm_);                      \
    } while (0)

#define STRETTO_MDMP_REDUCE_COUNT(op, first, text, count, ...) \
    STRETTO_MDMP_REDUCE(op, first, text, (count), (1), __VA_ARGS__)
#define STRETTO_MDMP_REDUCE(op, first, text, counts, strides, ...)                                           \
    do {                                                                                                     \
        static struct stretto_directive stretto_mdmp_ = STRETTO_MDMP_HERE(0, text);                          \
        STRETTO_MDMP_LIST(stretto_mdmp_counts_) = STRETTO_MDMP_VALUES counts;                                \
        STRETTO_MDMP_LIST(stretto_mdmp_strides_) = STRETTO_MDMP_VALUES strides;                              \
        int stretto_mdmp_root_ = STRETTO_ROOT_ALL;                                                           \
        STRETTO_MDMP_COMM_IF_ANY                                                                             \
        __VA_ARGS__;                                                                                         \
        STRETTO_MDMP_CHECK_recv(first, &stretto_mdmp_) STRETTO_MDMP_CHECK_REDUCE(op, first)                  \
            STRETTO_MDMP_SAME_LENGTH(stretto_mdmp_counts_, stretto_mdmp_strides_);                           \
        stretto_mdmp_reduce(&stretto_mdmp_, stretto_mdmp_op(op), STRETTO_MDMP_ADDRESS(first),                \
                            STRETTO_MDMP_OF(stretto_mdmp_counts_), STRETTO_MDMP_DATA(stretto_mdmp_strides_), \
                            STRETTO_MDMP_ELEMENT(first), STRETTO_MDMP_NUMBER(first), stretto_mdmp_root_,     \
                            stretto_mdmp_comm_);                                                             \
    } while (0)

#define STRETTO_MDMP_BCAST(first, text, counts, strides, ...)                                                         \
    do {                                                                                                              \
        static struct stretto_directive stretto_mdmp_ = STRETTO_MDMP_HERE(0, text);                                   \
        STRETTO_MDMP_LIST(stretto_mdmp_counts_) = STRETTO_MDMP_VALUES counts;                                         \
        STRETTO_MDMP_LIST(stretto_mdmp_strides_) = STRETTO_MDMP_VALUES strides;                                       \
        int stretto_mdmp_root_;                                                                                       \
        STRETTO_MDMP_COMM_IF_ANY                                                                                      \
        stretto_mdmp_root_ = __VA_ARGS__;                                                                             \
        STRETTO_MDMP_CHECK_recv(first, &stretto_mdmp_)                                                                \
            STRETTO_MDMP_SAME_LENGTH(stretto_mdmp_counts_, stretto_mdmp_strides_);                                    \
        stretto_mdmp_bcast(&stretto_mdmp_, STRETTO_MDMP_ADDRESS(first), STRETTO_MDMP_OF(stretto_mdmp_counts_),        \
                           STRETTO_MDMP_DATA(stretto_mdmp_strides_), STRETTO_MDMP_ELEMENT(first), stretto_mdmp_root_, \
                           stretto_mdmp_comm_);                                                                       \
    } while (0)

#ifdef __cplusplus
#define STRETTO_MDMP_CONSTEXPR constexpr
#define STRETTO_MDMP_CHECK_REDUCE(op, first)                                                                        \
    static_assert(stretto_mdmp_op(op) != 0, "MDMP: a reduction has one of the operations + * min max && || & | ^"); \
    static_assert(STRETTO_MDMP_NUMBER(first) != 0,                                                                  \
                  "MDMP: a reduction is of numbers: integers, floating-point and complex numbers, bool");           \
    static_assert(                                                                                                  \
        stretto_mdmp::reduces(stretto_mdmp_op(op), STRETTO_MDMP_NUMBER(first)),                                     \
        "MDMP: min and max are of no complex numbers, && || & | ^ of integers and bool, + and * of numbers");
#define STRETTO_MDMP_LIST(name) const auto name
#define STRETTO_MDMP_VALUES(...) stretto_mdmp::list(__VA_ARGS__)
#define STRETTO_MDMP_DATA(name) (name).data()
#define STRETTO_MDMP_OF(name) static_cast<int>((name).size()), (name).data()
#define STRETTO_MDMP_CHECK_send(first, one)
#define STRETTO_MDMP_CHECK_recv(first, one)
#define STRETTO_MDMP_SAME_LENGTH(one, other) \
    static_assert((one).size() == (other).size(), "MDMP: as many strides as counts")
#else
#define STRETTO_MDMP_CONSTEXPR
#define STRETTO_MDMP_CHECK_REDUCE(op, first)        \
    _Static_assert(STRETTO_MDMP_NUMBER(first) != 0, \
                   "MDMP: a reduction is of numbers: integers, floating-point and complex numbers, bool");
#define STRETTO_MDMP_LIST(name) const int64_t name[]
#define STRETTO_MDMP_VALUES(...) \
    { __VA_ARGS__ }
#define STRETTO_MDMP_DATA(name) name
#define STRETTO_MDMP_OF(name) (int)(sizeof name / sizeof *name), name
/* Beside an element that is not const or volatile, a void * stays what it is. */
#define STRETTO_MDMP_CHECK_send(first, one)
#define STRETTO_MDMP_CHECK_recv(first, one)                                         \
    _Static_assert(_Generic(1 ? &(first) : (void *)(one), void * : 1, default : 0), \
                   "MDMP: a section that is const or volatile receives nothing");
#define STRETTO_MDMP_SAME_LENGTH(one, other) \
    _Static_assert(sizeof one == sizeof other, "MDMP: as many strides as counts")
#endif

/* STRETTO_OP_*; 0: there is none of this name. */
static inline STRETTO_MDMP_CONSTEXPR int stretto_mdmp_op(const char *name) {
    return name[0] == 'm' && name[1] == 'i' && name[2] == 'n' && !name[3]   ? STRETTO_OP_MIN
           : name[0] == 'm' && name[1] == 'a' && name[2] == 'x' && !name[3] ? STRETTO_OP_MAX
           : name[0] == '&' && name[1] == '&' && !name[2]                   ? STRETTO_OP_AND
           : name[0] == '|' && name[1] == '|' && !name[2]                   ? STRETTO_OP_OR
           : !name[0] || name[1]                                            ? 0
           : name[0] == '+'                                                 ? STRETTO_OP_ADD
           : name[0] == '*'                                                 ? STRETTO_OP_MULTIPLY
           : name[0] == '&'                                                 ? STRETTO_OP_BITS_AND
           : name[0] == '|'                                                 ? STRETTO_OP_BITS_OR
           : name[0] == '^'                                                 ? STRETTO_OP_BITS_XOR
                                                                            : 0;
}

/* Strides of the library form are elements. */
static inline void stretto_mdmp_in_bytes(int64_t bytes[], const int64_t stride[], int dimensions,
                                         int64_t element_bytes) {
    int k;
    for (k = 0; k < dimensions && k < STRETTO_MDMP_DIMENSIONS; k++) bytes[k] = stride[k] * element_bytes;
}
static inline void stretto_mdmp_send(struct stretto_directive *directive, const void *first, int dimensions,
                                     const int64_t count[], const int64_t stride[], int64_t element_bytes, int partner,
                                     int tag, const MPI_Comm *comm) {
    int64_t bytes[STRETTO_MDMP_DIMENSIONS];
    stretto_mdmp_in_bytes(bytes, stride, dimensions, element_bytes);
    stretto_section_send(directive, first, dimensions, count, bytes, element_bytes, partner, tag, comm);
}
static inline void stretto_mdmp_recv(struct stretto_directive *directive, void *first, int dimensions,
                                     const int64_t count[], const int64_t stride[], int64_t element_bytes, int partner,
                                     int tag, const MPI_Comm *comm) {
    int64_t bytes[STRETTO_MDMP_DIMENSIONS];
    stretto_mdmp_in_bytes(bytes, stride, dimensions, element_bytes);
    stretto_section_recv(directive, first, dimensions, count, bytes, element_bytes, partner, tag, comm);
}
static inline void stretto_mdmp_reduce(struct stretto_directive *directive, int op, void *first, int dimensions,
                                       const int64_t count[], const int64_t stride[], int64_t element_bytes, int type,
                                       int root, const MPI_Comm *comm) {
    int64_t bytes[STRETTO_MDMP_DIMENSIONS];
    stretto_mdmp_in_bytes(bytes, stride, dimensions, element_bytes);
    stretto_section_reduce(directive, op, first, dimensions, count, bytes, element_bytes, type, root, comm);
}
static inline void stretto_mdmp_bcast(struct stretto_directive *directive, void *first, int dimensions,
                                      const int64_t count[], const int64_t stride[], int64_t element_bytes, int root,
                                      const MPI_Comm *comm) {
    int64_t bytes[STRETTO_MDMP_DIMENSIONS];
    stretto_mdmp_in_bytes(bytes, stride, dimensions, element_bytes);
    stretto_section_bcast(directive, first, dimensions, count, bytes, element_bytes, root, comm);
}

/* A directive among the calls would be ignored by a compiler that does not know it. */
#if !defined STRETTO_MDMP_DIRECTIVES && defined __GNUC__
#pragma GCC poison commregion commregionfinished
#endif

#endif
