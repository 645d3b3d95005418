# Whether the program loads CHOLMOD and ARPACK only when it solves: where it holds the solvers itself, and both are
# shared libraries whose names are known.

function(vxe_name_of library variable) # the name that programs ask the system for; empty: not a shared library
    set(name "")
    if(CMAKE_READELF AND EXISTS "${library}")
        execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE text ERROR_QUIET)
        if(text MATCHES "SONAME[^[]*\\[([^]]+)\\]")
            set(name ${CMAKE_MATCH_1})
        endif()
    endif()
    set(${variable} "${name}" PARENT_SCOPE)
endfunction()

function(vxe_late sources) # leaves src/cli/late.c in the list, or takes it out; sets VXE_LATE
    set(late OFF)
    if(VXE_SOLVE AND NOT BUILD_SHARED_LIBS AND NOT VXE_WHEEL)
        vxe_name_of("${CHOLMOD_LIBRARY}" cholmod)
        vxe_name_of("${ARPACK_LIBRARY}" arpack)
        if(cholmod AND arpack)
            set(late ON)
        endif()
    endif()
    if(late)
        set_source_files_properties(src/cli/late.c PROPERTIES COMPILE_DEFINITIONS
                                    "VXE_LATE_CHOLMOD=\"${cholmod}\";VXE_LATE_ARPACK=\"${arpack}\"")
    else()
        list(FILTER ${sources} EXCLUDE REGEX "/cli/late\\.c$")
        set(${sources} "${${sources}}" PARENT_SCOPE)
    endif()
    set(VXE_LATE ${late} PARENT_SCOPE)
endfunction()
