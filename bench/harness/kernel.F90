! kernel.F90: the harness for kernels in Fortran; kernel.h says what each of these is.
module stretto_bench
    use, intrinsic :: iso_c_binding
    implicit none

    type, bind(C) :: Result_t
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: bytes = 0
    end type

    type, bind(C) :: Kernel_t
        type(c_ptr) :: name
        type(c_funptr) :: set_up, reset, message, message_hops, compute, plain, delta, hand, result
        integer(c_int) :: work_is_given = 0
        type(c_funptr) :: independent = c_null_funptr, tiled = c_null_funptr, puts = c_null_funptr
    end type

    type, bind(C) :: Options_t
        integer(c_long) :: bytes, elements
        real(c_double) :: dilate
        type(c_ptr) :: file, output
        integer(c_long) :: depth
    end type

    type(Options_t), bind(C, name="option") :: option
    integer(c_int), bind(C, name="rank") :: rank
    integer(c_int), bind(C, name="ranks") :: ranks
    integer(c_long), bind(C, name="wrong") :: wrong
    real(c_double), bind(C, name="rounds_per_element") :: rounds_per_element

    integer, parameter :: STRIP = 64

    integer(c_long), bind(C, name="work_left") :: work_left

    interface
        function rested(left) bind(C) result(next)
            import :: c_long
            integer(c_long), value :: left
            integer(c_long) :: next
        end function

        subroutine worked_part(elements, parts) bind(C)
            import :: c_long
            integer(c_long), value :: elements, parts
        end subroutine

        subroutine work_step(step) bind(C)
            import :: c_long
            integer(c_long), value :: step
        end subroutine
    end interface

contains

    ! As worked() in work.h.
    subroutine worked(elements)
        integer(c_long), intent(in) :: elements
        work_left = work_left - elements
        if (work_left <= 0) work_left = rested(work_left)
    end subroutine

    ! As element() in work.h; i counts from 0.
    function element(i) result(v)
        integer(c_long), intent(in) :: i
        real(c_double) :: v
        integer(c_long) :: k
        v = real(i, c_double)
        do k = int(i*rounds_per_element, c_long), int((i + 1)*rounds_per_element, c_long) - 1
            v = v + sin(real(k, c_double))*sin(real(k, c_double)) + cos(real(k, c_double))*cos(real(k, c_double))
        end do
    end function

end module
