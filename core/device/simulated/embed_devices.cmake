# cmake -DOUTPUT=... -DFILES=a.json,b.json -P embed_devices.cmake: writes a C++ source with the files as texts.
string(REPLACE "," ";" files "${FILES}")
list(LENGTH files count)
string(CONCAT source
    "#include \"device/simulated/embedded_devices.h\"\n\n#include <array>\n\nnamespace stagecraft {\n\n"
    "std::span<const std::string_view> embeddedDeviceTexts()\n{\n"
    "    static constexpr std::array<std::string_view, ${count}> texts{\n")
foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(APPEND source "        R\"device(${text})device\",\n")
endforeach()
string(APPEND source "    };\n    return texts;\n}\n\n} // namespace stagecraft\n")
file(WRITE "${OUTPUT}" "${source}")
