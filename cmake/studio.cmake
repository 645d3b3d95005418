# The studio; its page becomes part of the program.

# Everything but the network and the pages, for the command line and the tests.
if(VXE_STUDIO)
    file(GLOB VXE_DESK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/studio/*.c)
    list(FILTER VXE_DESK_SOURCES EXCLUDE REGEX "/(absent|server|page|page_files)\\.c$")
    find_package(Threads REQUIRED)
    add_library(voxelastic-desk STATIC ${VXE_DESK_SOURCES})
    vxe_flags(voxelastic-desk)
    target_include_directories(voxelastic-desk PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(voxelastic-desk PUBLIC PkgConfig::JANSSON Threads::Threads m)
endif()

# Adds the studio, or what says that it is not there, to a target.
function(vxe_studio target)
    set(folder ${PROJECT_SOURCE_DIR}/src/studio)
    if(NOT VXE_STUDIO)
        target_sources(${target} PRIVATE ${folder}/absent.c)
        return()
    endif()
    pkg_check_modules(LIBWEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets>=4.1)
    target_sources(${target} PRIVATE ${folder}/server.c ${folder}/page.c ${folder}/page_files.c)
    # The desk stands before the library, which it uses.
    target_link_libraries(${target} PRIVATE voxelastic-desk voxelastic-all PkgConfig::LIBWEBSOCKETS)
    set_source_files_properties(
        ${folder}/page_files.c PROPERTIES OBJECT_DEPENDS "${VXE_PAGE_FILES}"
                                          COMPILE_DEFINITIONS "VXE_PAGE_STUDIO=\"${VXE_PAGES}/studio.html\"")
endfunction()
