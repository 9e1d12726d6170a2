#include "support/text_file.h"

#include "support/input_file.h"
#include "support/output_file.h"

namespace stagecraft {
namespace {

constexpr std::uintmax_t kMaxBytes = 256U << 20U;

} // namespace

Result<std::string> readTextFile(const std::string &path)
{
    auto text = readInputFile(path, kMaxBytes, ReadFrom::FilesAndPipes);
    if (!text)
        return within(path, std::move(text.error()));
    return text;
}

Result<void> writeTextFile(const std::string &path, const std::string &content)
{
    return writeFile(path, content);
}

} // namespace stagecraft
