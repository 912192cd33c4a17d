# Presets asan, ubsan, tsan: everything is compiled and linked with one sanitizer. Its run-time library must then be the
# first that a process loads, so the object is for programs linked with it, not for LD_PRELOAD.
set(STRETTO_SANITIZER "" CACHE STRING "address, undefined, thread, or empty")
if(STRETTO_SANITIZER)
    add_compile_options(-fsanitize=${STRETTO_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${STRETTO_SANITIZER})
endif()
