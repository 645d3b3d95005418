# The studio: its pages are built by npm from web/ into web/dist/ and become part of the program.

# Everything but the network and the pages, for the command line and the tests.
if(VXE_STUDIO)
    file(GLOB VXE_DESK_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/studio/*.c)
    list(FILTER VXE_DESK_SOURCES EXCLUDE REGEX "/(absent|server|page|page_files|pack|replay)\\.c$")
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
    pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
    target_sources(${target} PRIVATE ${folder}/server.c ${folder}/page.c ${folder}/page_files.c ${folder}/pack.c
                                     ${folder}/replay.c)
    # The desk stands before the library, which it uses.
    target_link_libraries(${target} PRIVATE voxelastic-desk voxelastic PkgConfig::LIBWEBSOCKETS PkgConfig::ZLIB)

    # Pages that were built elsewhere can be named; then npm is not needed.
    set(web ${PROJECT_SOURCE_DIR}/web)
    set(VXE_PAGES ${web}/dist CACHE PATH "Folder of studio.html and replay.html")
    set(pages ${VXE_PAGES}/studio.html ${VXE_PAGES}/replay.html)
    find_program(VXE_NPM npm)
    if(VXE_NPM AND VXE_PAGES STREQUAL "${web}/dist")
        file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${web}/src/*)
        add_custom_command(
            OUTPUT ${web}/node_modules/.package-lock.json
            COMMAND ${VXE_NPM} ci --no-audit --no-fund --loglevel=error
            DEPENDS ${web}/package.json ${web}/package-lock.json
            WORKING_DIRECTORY ${web}
            COMMENT "Installing what the studio's pages are made with (npm ci)"
            VERBATIM)
        add_custom_command(
            OUTPUT ${pages}
            COMMAND ${VXE_NPM} run --silent build
            DEPENDS ${parts} ${web}/vite.config.ts ${web}/tsconfig.json ${web}/node_modules/.package-lock.json
            WORKING_DIRECTORY ${web}
            COMMENT "Building the studio's pages"
            VERBATIM)
    endif()
    set_source_files_properties(
        ${folder}/page_files.c
        PROPERTIES OBJECT_DEPENDS "${pages}"
                   COMPILE_DEFINITIONS "VXE_PAGE_STUDIO=\"${VXE_PAGES}/studio.html\";VXE_PAGE_REPLAY=\"${VXE_PAGES}/replay.html\"")
endfunction()
