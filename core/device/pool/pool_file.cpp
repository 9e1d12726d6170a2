#include "device/pool/pool_file.h"

#include "support/text_file.h"

#include <fmt/format.h>

#include <sstream>

namespace stagecraft {
namespace {

constexpr const char *kBlanks = " \t\r";

std::string withoutComment(const std::string &line)
{
    std::string text = line.substr(0, line.find('#'));
    text.erase(text.find_last_not_of(kBlanks) + 1);
    text.erase(0, text.find_first_not_of(kBlanks));
    return text;
}

} // namespace

Result<std::vector<std::string>> readPoolFile(const std::string &path)
{
    TRY_AS(const std::string text, readTextFile(path));
    std::vector<std::string> members;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::string member = withoutComment(line);
        if (member.empty())
            continue;
        if (member.starts_with("pool:") || member.find_first_of(kBlanks) != member.npos)
            return within(fmt::format("{}:{}", path, number),
                          refused(member + " is not one device", "Write the id of one device a line").value());
        members.push_back(std::move(member));
    }
    if (members.empty())
        return within(path, refused("the file of a pool names no device", "Write the id of a device a line").value());
    return members;
}

} // namespace stagecraft
