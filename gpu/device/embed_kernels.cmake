# cmake -DOUTPUT=... -DFILES=a.cu,b.cu -P embed_kernels.cmake: writes a C++ source with the files as texts.
string(REPLACE "," ";" files "${FILES}")
list(LENGTH files count)
string(CONCAT source
    "#include \"gpu/device/embedded_kernels.h\"\n\n#include <array>\n\nnamespace stagecraft::gpu {\n\n"
    "std::span<const std::pair<std::string_view, std::string_view>> embeddedKernels()\n{\n"
    "    using Text = std::pair<std::string_view, std::string_view>;\n"
    "    static constexpr std::array<Text, ${count}> texts{\n")
foreach(file IN LISTS files)
    file(READ "${file}" text)
    get_filename_component(name "${file}" NAME)
    string(APPEND source "        Text{\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
string(APPEND source "    };\n    return texts;\n}\n\n} // namespace stagecraft::gpu\n")
file(WRITE "${OUTPUT}" "${source}")
