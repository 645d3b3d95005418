# The studio: its pages are built by npm from web/ into web/dist/ and become part of the program.

# Adds the studio, or what says that it is not there, to a target.
function(vxe_studio target)
    set(folder ${PROJECT_SOURCE_DIR}/src/studio)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    if(NOT VXE_STUDIO)
        target_sources(${target} PRIVATE ${folder}/absent.c)
        return()
    endif()
    list(REMOVE_ITEM sources ${folder}/absent.c)
    find_package(Threads REQUIRED)
    pkg_check_modules(LIBWEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets>=4.1)
    pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
    target_sources(${target} PRIVATE ${sources})
    target_link_libraries(${target} PRIVATE PkgConfig::LIBWEBSOCKETS PkgConfig::ZLIB Threads::Threads)

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
