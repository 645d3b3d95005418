# The pages of the studio and of replays: built by npm from web/ into web/dist/. Pages that were built elsewhere can be
# named by VXE_PAGES; then npm is not needed.
set(VXE_PAGE_FILES)
if(VXE_STUDIO)
    set(web ${PROJECT_SOURCE_DIR}/web)
    set(VXE_PAGES ${web}/dist CACHE PATH "Folder of studio.html and replay.html")
    set(VXE_PAGE_FILES ${VXE_PAGES}/studio.html ${VXE_PAGES}/replay.html)
    find_program(VXE_NPM npm)
    if(VXE_NPM AND VXE_PAGES STREQUAL "${web}/dist")
        file(GLOB_RECURSE parts CONFIGURE_DEPENDS ${web}/src/*)
        add_custom_command(
            OUTPUT ${web}/node_modules/.package-lock.json
            COMMAND ${VXE_NPM} ci --no-audit --no-fund --loglevel=error
            DEPENDS ${web}/package.json ${web}/package-lock.json
            WORKING_DIRECTORY ${web}
            COMMENT "Installing what the pages are made with (npm ci)"
            VERBATIM)
        add_custom_command(
            OUTPUT ${VXE_PAGE_FILES}
            COMMAND ${VXE_NPM} run --silent build
            DEPENDS ${parts} ${web}/vite.config.ts ${web}/tsconfig.json ${web}/node_modules/.package-lock.json
            WORKING_DIRECTORY ${web}
            COMMENT "Building the pages of the studio and of replays"
            VERBATIM)
    endif()
endif()
