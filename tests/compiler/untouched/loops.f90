! Loops and array expressions, and no MPI.
module loops
    implicit none
contains
    subroutine product(c, a, b, n)
        integer, intent(in) :: n
        double precision, intent(inout) :: c(n, n)
        double precision, intent(in) :: a(n, n), b(n, n)
        integer :: i, j, k
        do j = 1, n
            do k = 1, n
                do i = 1, n
                    c(i, j) = c(i, j) + a(i, k)*b(k, j)
                end do
            end do
        end do
    end subroutine

    subroutine stencil(to, from)
        double precision, intent(out) :: to(:, :)
        double precision, intent(in) :: from(:, :)
        integer :: m, n
        m = size(from, 1)
        n = size(from, 2)
        to = from
        to(2:m - 1, 2:n - 1) = 0.25d0*(from(1:m - 2, 2:n - 1) + from(3:m, 2:n - 1) + from(2:m - 1, 1:n - 2) + from(2:m - 1, 3:n))
    end subroutine

    double precision function total(a, where)
        real, intent(in) :: a(:)
        integer, intent(in) :: where(:)
        integer :: i
        total = 0
        do i = size(where), 1, -1
            if (a(where(i)) > 0) total = total + sqrt(a(where(i)))
        end do
    end function
end module
