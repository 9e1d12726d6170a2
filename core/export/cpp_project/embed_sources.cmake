# cmake -DOUTPUT=... -DFILES=FROM=TO,... -P embed_sources.cmake: writes a C++ source with the files as texts.
string(REPLACE "," ";" files "${FILES}")
list(LENGTH files count)
file(WRITE "${OUTPUT}"
    "#include \"export/cpp_project/embedded_sources.h\"\n\n#include <array>\n\nnamespace stagecraft {\n\n"
    "std::span<const EmbeddedSource> embeddedSources()\n{\n"
    "    using std::string_view_literals::operator\"\"sv;\n"
    "    static constexpr std::array<EmbeddedSource, ${count}> sources{{\n")
foreach(file IN LISTS files)
    string(REGEX MATCH "^(.*)=(.*)$" pair "${file}")
    set(to "${CMAKE_MATCH_2}")
    file(READ "${CMAKE_MATCH_1}" text)
    file(APPEND "${OUTPUT}" "        {\"${to}\", R\"source(${text})source\"sv},\n")
endforeach()
file(APPEND "${OUTPUT}" "    }};\n    return sources;\n}\n\n} // namespace stagecraft\n")
