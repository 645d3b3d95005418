# One of the libraries. What is inside is shared between them (src/*/*.h) and private to them: a shared library exports
# what the public headers declare under its version, and everything else that begins with vxe_ as VOXELASTIC_PRIVATE.
if(BUILD_SHARED_LIBS)
    set(VXE_MAP ${PROJECT_BINARY_DIR}/voxelastic.map)
    set(public)
    foreach(header ${VXE_PUBLIC_HEADERS})
        file(STRINGS ${header} lines REGEX "^VXE_API [^(]*vxe_[a-z0-9_]*\\(")
        foreach(line ${lines})
            string(REGEX REPLACE "^VXE_API [^(]*(vxe_[a-z0-9_]*)\\(.*" "\\1" name "${line}")
            string(APPEND public "        ${name};\n")
        endforeach()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${VXE_PUBLIC_HEADERS})
    file(CONFIGURE OUTPUT ${VXE_MAP} CONTENT
"VOXELASTIC_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} {
    global:
${public}};
VOXELASTIC_PRIVATE {
    global:
        vxe_*;
    local:
        *;
};
")
endif()

# NAME is the target's, EXPORT that of programs which find it: voxelastic::EXPORT.
function(vxe_library name export) # SOURCES...
    add_library(${name} ${ARGN})
    add_library(voxelastic::${export} ALIAS ${name})
    vxe_flags(${name})
    target_include_directories(
        ${name}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${name} PRIVATE VXE_BUILD)
    target_link_libraries(${name} PRIVATE m Threads::Threads)
    set_target_properties(
        ${name} PROPERTIES EXPORT_NAME ${export} VERSION ${PROJECT_VERSION}
                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH "$ORIGIN")
    if(BUILD_SHARED_LIBS)
        target_compile_definitions(${name} PUBLIC VXE_SHARED)
        target_compile_options(${name} PRIVATE -fno-semantic-interposition)
        target_link_options(${name} PRIVATE "LINKER:--version-script=${VXE_MAP}" "LINKER:-Bsymbolic-functions")
        set_target_properties(${name} PROPERTIES LINK_DEPENDS ${VXE_MAP})
    else()
        set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden)
    endif()
endfunction()
