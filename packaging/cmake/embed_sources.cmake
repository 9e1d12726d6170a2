# cmake -DOUTPUT=... -DHEADER=... -DTYPE=... -DFUNCTION=... -DFILES=FROM=TO,... -P embed_sources.cmake: writes a C++ source
# with the files as texts: what FUNCTION(), declared in HEADER, returns, each a TYPE of path and text.
string(REPLACE "," ";" files "${FILES}")
list(LENGTH files count)
file(WRITE "${OUTPUT}"
    "#include \"${HEADER}\"\n\n#include <array>\n\nnamespace stagecraft {\n\n"
    "std::span<const ${TYPE}> ${FUNCTION}()\n{\n"
    "    using std::string_view_literals::operator\"\"sv;\n"
    "    static constexpr std::array<${TYPE}, ${count}> sources{{\n")
foreach(file IN LISTS files)
    string(REGEX MATCH "^(.*)=(.*)$" pair "${file}")
    set(to "${CMAKE_MATCH_2}")
    file(READ "${CMAKE_MATCH_1}" text)
    file(APPEND "${OUTPUT}" "        {\"${to}\", R\"source(${text})source\"sv},\n")
endforeach()
file(APPEND "${OUTPUT}" "    }};\n    return sources;\n}\n\n} // namespace stagecraft\n")
