# Install rules: library, headers, CMake package, pkg-config file, command line, man page, shell completion, scenes
# and their schema.
include(CMakePackageConfigHelpers)

set(VXE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/voxelastic)

install(TARGETS voxelastic EXPORT voxelastic-targets)
install(FILES ${VXE_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/voxelastic)
install(
    EXPORT voxelastic-targets
    NAMESPACE voxelastic::
    DESTINATION ${VXE_CMAKE_DIR})

# A static library passes its own dependencies on to whoever links it, by their pkg-config names.
set(VXE_REQUIRES)
if(VXE_JSON AND NOT BUILD_SHARED_LIBS)
    list(APPEND VXE_REQUIRES jansson)
endif()
if(NOT BUILD_SHARED_LIBS)
    list(APPEND VXE_REQUIRES ${VXE_MODULES})
endif()
if(VXE_SOLVE AND NOT BUILD_SHARED_LIBS)
    list(APPEND VXE_REQUIRES arpack)
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

# The .pc file finds its prefix from its own place, so that an installed tree can be moved.
file(RELATIVE_PATH VXE_PC_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
list(JOIN VXE_REQUIRES " " VXE_PC_REQUIRES)
if(BUILD_SHARED_LIBS)
    set(VXE_PC_CFLAGS " -DVXE_SHARED")
    set(VXE_PC_LIBS "")
else()
    set(VXE_PC_CFLAGS "")
    set(VXE_PC_LIBS " -lm")
    if(VXE_SOLVE)
        set(VXE_PC_LIBS " -lcholmod -lm")
    endif()
endif()
configure_file(cmake/voxelastic.pc.in ${PROJECT_BINARY_DIR}/voxelastic.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/voxelastic.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

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
