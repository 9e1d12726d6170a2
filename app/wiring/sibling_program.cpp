#include "wiring/sibling_program.h"

#include <system_error>

namespace stagecraft {

std::filesystem::path siblingProgram(const std::string &name)
{
    std::error_code error;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (folder.empty()) // the program's folder is unknown: never use the current folder
        return name;
    for (const auto &candidate : {folder / name, folder.parent_path() / "bin" / name}) {
        if (std::filesystem::exists(candidate, error))
            return candidate;
    }
    return folder / name;
}

} // namespace stagecraft
