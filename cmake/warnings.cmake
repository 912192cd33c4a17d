# Our own C++ is compiled with these; generated code and other people's headers are not ours.
set(STRETTO_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wno-cast-function-type
                     -Wno-deprecated-declarations)
