# Compiler flags. They are part of what makes results reproducible: no contraction and no fast-math, so that the same
# expressions give the same bits on every path. CMake itself adds -O3 -DNDEBUG to release builds.

# Flags for code of this project. LOOSE (tests) leaves out the strictest warnings.
function(vxe_flags target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "LOOSE" "" "")
    set_target_properties(${target} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                                               POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(
        ${target}
        PRIVATE -ffp-contract=off
                -fno-math-errno
                "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
                -Wall
                -Wextra
                -Wpedantic
                -Wshadow
                -Wstrict-prototypes
                -Wvla
                "$<$<NOT:$<BOOL:${arg_LOOSE}>>:-Wconversion;-Wmissing-prototypes>"
                $<$<BOOL:${VXE_WERROR}>:-Werror>)
endfunction()

set(VXE_X86_64 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(VXE_X86_64 ON)
endif()

# Sources named *_avx2.c and *_avx512.c (x86-64 only) are compiled for that instruction set; the library chooses at run time.
# -Wno-psabi: vectors are passed between static functions of one file only. Without use-after-return checks: with them gcc
# puts vectors of 64 bytes where they are not aligned (its bug 110027).
function(vxe_instruction_set_flags)
    foreach(source ${ARGN})
        set(flags)
        if(source MATCHES "/wide_[^/]*\\.c$")
            list(APPEND flags -Wno-psabi)
            if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_FLAGS MATCHES "-fsanitize=[a-z,-]*address")
                list(APPEND flags --param=asan-use-after-return=0)
            endif()
        endif()
        if(source MATCHES "_avx2\\.c$")
            list(APPEND flags -mavx2)
        elseif(source MATCHES "_avx512\\.c$")
            list(APPEND flags -mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)
        endif()
        if(source MATCHES "src/picture/") # nobody asks for traps there, and without them loops over pixels become wide
            list(APPEND flags -fno-trapping-math)
        endif()
        if(source MATCHES "/wide_fast_") # --precision fast: same kernels, fused operations allowed
            list(APPEND flags -mfma -ffp-contract=fast)
        endif()
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}")
    endforeach()
endfunction()
