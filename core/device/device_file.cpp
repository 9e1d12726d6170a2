#include "device/device_file.h"

#include "support/input_file.h"

#include <algorithm>
#include <cctype>
#include <system_error>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;
constexpr std::string_view kRecordingEnding = ".latencies.jsonl";

bool endsWith(std::string_view path, std::string_view ending)
{
    return path.size() >= ending.size() &&
           std::ranges::equal(path.substr(path.size() - ending.size()), ending,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

} // namespace

std::filesystem::path deviceFile(std::string_view id)
{
    if (!id.starts_with("sim:") && !id.starts_with("rec:"))
        return {};
    std::string_view name = id.substr(4, id.find('*') == id.npos ? id.npos : id.find('*') - 4);
    std::error_code none;
    while (!std::filesystem::is_regular_file(name, none)) {
        const std::size_t colon = name.rfind(':'); // options may follow the path, which may have colons itself
        if (colon == name.npos)
            return {};
        name = name.substr(0, colon);
    }
    return name;
}

std::string deviceIn(const std::string &path)
{
    if (endsWith(path, kRecordingEnding))
        return "rec:" + path;
    if (!endsWith(path, ".json"))
        return {};
    auto file = OpenedFile::open(path, kLargestFile);
    if (!file)
        return {};
    std::string start(4096, '\0');
    const auto bytes = file->read(start.data(), start.size());
    start.resize(bytes.value_or(0));
    return start.find("\"stagecraft-device\"") != start.npos ? "sim:" + path : std::string();
}

} // namespace stagecraft
