#include "model/read_file.h"

#include "support/input_file.h"

namespace stagecraft {

Result<std::string> readFile(const std::filesystem::path &path, std::uintmax_t limitBytes)
{
    auto bytes = readInputFile(path, limitBytes);
    if (bytes && bytes->empty())
        return fail(ErrorCode::InvalidInput, "the file is empty", "Export or download the model again");
    if (!bytes && bytes.error().remedy.empty())
        bytes.error().remedy = "Keep weights in external data files next to the model";
    return bytes;
}

} // namespace stagecraft
