# Install rules: libraries, headers, CMake package, pkg-config files, command line, man page, shell completion, scenes
# and their schema.
include(CMakePackageConfigHelpers)

set(VXE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/voxelastic)

install(FILES ${VXE_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/voxelastic)

# A static library passes its own dependencies on to whoever links it, by their pkg-config names.
set(VXE_REQUIRES_io)
set(VXE_REQUIRES_solve)
if(NOT BUILD_SHARED_LIBS)
    set(VXE_REQUIRES_io ${VXE_MODULES})
    if(VXE_JSON)
        list(PREPEND VXE_REQUIRES_io jansson)
    endif()
    if(VXE_SOLVE)
        set(VXE_REQUIRES_solve arpack)
    endif()
endif()
configure_package_config_file(
    cmake/voxelastic-config.cmake.in ${PROJECT_BINARY_DIR}/voxelastic-config.cmake
    INSTALL_DESTINATION ${VXE_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may break the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/voxelastic-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/voxelastic-config.cmake ${PROJECT_BINARY_DIR}/voxelastic-config-version.cmake
        DESTINATION ${VXE_CMAKE_DIR})

# The .pc files find their prefix from their own place, so that an installed tree can be moved.
file(RELATIVE_PATH VXE_PC_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
set(VXE_PC_CFLAGS "")
if(BUILD_SHARED_LIBS)
    set(VXE_PC_CFLAGS " -DVXE_SHARED")
endif()
function(vxe_install_library target libraries) # REQUIRES...
    install(TARGETS ${target} EXPORT ${target}-targets)
    install(
        EXPORT ${target}-targets
        NAMESPACE voxelastic::
        DESTINATION ${VXE_CMAKE_DIR})
    set(VXE_PC_NAME ${target})
    list(JOIN ARGN " " VXE_PC_REQUIRES)
    set(VXE_PC_LIBS "")
    if(NOT BUILD_SHARED_LIBS)
        set(VXE_PC_LIBS "${libraries} -lm")
    endif()
    configure_file(cmake/voxelastic.pc.in ${PROJECT_BINARY_DIR}/${target}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${target}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(solver "")
if(VXE_SOLVE)
    set(solver " -lcholmod")
endif()
vxe_install_library(voxelastic " -pthread")
vxe_install_library(voxelastic-io "" voxelastic ${VXE_REQUIRES_io})
vxe_install_library(voxelastic-solve "${solver}" voxelastic ${VXE_REQUIRES_solve})

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(VXE_CLI)
    install(TARGETS voxelastic-cli)
    # By the names of other programs, for scripts that call those; not in bin, where the others themselves may be.
    foreach(name voxelyze voxcraft-sim)
        file(RELATIVE_PATH target "/p/${CMAKE_INSTALL_LIBEXECDIR}/voxelastic" "/p/${CMAKE_INSTALL_BINDIR}/voxelastic")
        install(CODE "
            set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBEXECDIR}/voxelastic\")
            file(MAKE_DIRECTORY \"\${folder}\")
            file(CREATE_LINK \"${target}\" \"\${folder}/${name}\" SYMBOLIC)")
    endforeach()
    file(GLOB scenes CONFIGURE_DEPENDS scenes/*.json)
    install(FILES ${scenes} DESTINATION ${CMAKE_INSTALL_DATADIR}/voxelastic/scenes)
    install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/voxelastic OPTIONAL)
    install(FILES docs/man/voxelastic.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
    install(FILES tools/completion/voxelastic.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME voxelastic OPTIONAL)
    install(FILES tools/completion/_voxelastic DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
    install(FILES tools/completion/voxelastic.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            OPTIONAL)
endif()
