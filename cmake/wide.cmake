# The wide loops, src/backend/cpu/wide_loops.h, once for each instruction set and precision: a line each of this list. A
# file of the name given is made of it, and gets its flags by that name (flags.cmake). Likewise the loops over contacts,
# src/backend/cpu/contact_loops.h, in double.
set(VXE_WIDE # file, lanes, precision, name
    "wide_portable 2 double portable"
    "wide_single_portable 4 single portable")
if(VXE_X86_64 AND VXE_AVX)
    list(
        APPEND
        VXE_WIDE
        "wide_avx2 4 double avx2"
        "wide_single_avx2 8 single avx2"
        "wide_fast_avx2 4 fast avx2"
        "wide_avx512 8 double avx512"
        "wide_single_avx512 16 single avx512"
        "wide_fast_avx512 8 fast avx512")
else()
    set_property(SOURCE src/backend/cpu/choose.c APPEND PROPERTY COMPILE_DEFINITIONS VXE_NO_AVX)
endif()
foreach(line ${VXE_WIDE})
    string(REPLACE " " ";" parts ${line})
    list(GET parts 0 file)
    list(GET parts 1 lanes)
    list(GET parts 2 precision)
    list(GET parts 3 name)
    set(base double)
    set(real "#define VXE_REAL double")
    set(backend vxe_backend_wide_${name})
    if(precision STREQUAL single)
        set(base single)
        set(real "#define VXE_REAL float\n#define VXE_REAL_IS_FLOAT")
        string(APPEND backend _single)
    elseif(precision STREQUAL fast) # built with contraction on
        string(APPEND real "\n#define WIDE_FUSED")
        string(APPEND backend _fast)
    endif()
    set(path ${PROJECT_BINARY_DIR}/wide/${file}.c)
    file(CONFIGURE OUTPUT ${path} CONTENT
"${real}
#define VXE_LANES ${lanes}
#define WIDE_BACKEND ${backend}
#define WIDE_NAME \"${name}\"
#define WIDE_CONTACTS vxe_contact_loops_${name}
#define WIDE_BASE vxe_backend_plain_${base}
#define WIDE_PLAIN(part) vxe_plain_##part##_${base}
#include \"backend/cpu/wide_loops.h\"
")
    list(APPEND VXE_CORE_SOURCES ${path})
    if(precision STREQUAL double) # contacts are solved in double whatever the rest is
        set(path ${PROJECT_BINARY_DIR}/wide/wide_contacts_${name}.c)
        file(CONFIGURE OUTPUT ${path} CONTENT
"#define VXE_LANES ${lanes}
#define CONTACT_LOOPS vxe_contact_loops_${name}
#include \"backend/cpu/contact_loops.h\"
")
        list(APPEND VXE_CORE_SOURCES ${path})
    endif()
endforeach()
