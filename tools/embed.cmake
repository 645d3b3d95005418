# Writes the C file that holds the built-in scenes: the array cli_demos of src/cli/cli.h.
#   cmake -DOUTPUT=FILE.c "-DSCENES=a.json;b.json" -P tools/embed.cmake
# In CMakeLists.txt, as a custom command that depends on the scenes:
#   add_custom_command(OUTPUT demos.c COMMAND ${CMAKE_COMMAND} -DOUTPUT=demos.c "-DSCENES=${scenes}" -P tools/embed.cmake
#                      DEPENDS ${scenes} tools/embed.cmake VERBATIM)
set(arrays "")
set(entries "")
set(count 0)
list(SORT SCENES)
foreach(scene IN LISTS SCENES)
    get_filename_component(name ${scene} NAME_WE)
    file(READ ${scene} bytes HEX)
    string(LENGTH "${bytes}" digits)
    math(EXPR size "${digits} / 2")
    # 8 bytes per line, a zero at the end
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char scene_${count}[] = {\n${bytes}0};\n")
    string(APPEND entries "    {\"${name}\", scene_${count}, ${size}},\n")
    math(EXPR count "${count} + 1")
endforeach()
if(count EQUAL 0)
    set(entries "    {0, 0, 0},\n") # an array has at least one element
endif()
file(WRITE ${OUTPUT}
     "/* Made by tools/embed.cmake from scenes/. */\n#include \"cli/cli.h\"\n\n${arrays}\n"
     "const cli_demo cli_demos[] = {\n${entries}};\nconst size_t cli_demo_count = ${count};\n")
