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
