#include "device/pool/pool_file.h"

#include "support/error_text.h"
#include "support/text_file.h"

#include <fmt/format.h>
#include <sstream>
#include <utility>

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

struct Line {
    std::size_t number = 0;
    std::string member;
};

// Those that are not empty.
std::vector<Line> linesOf(const std::string &text)
{
    std::vector<Line> result;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (std::string member = withoutComment(line); !member.empty())
            result.push_back({number, std::move(member)});
    }
    return result;
}

Result<void> check(const std::string &path, const Line &line)
{
    if (!line.member.starts_with("pool:") && line.member.find_first_of(kBlanks) == std::string::npos)
        return {};
    return within(fmt::format("{}:{}", path, line.number),
                  refused(line.member + " is not one device", "Write the id of one device a line").value());
}

} // namespace

Result<std::vector<std::string>> readPoolFile(const std::string &path)
{
    TRY_AS(const std::string text, readTextFile(path));
    std::vector<std::string> members;
    for (Line &line : linesOf(text)) {
        TRY(check(path, line));
        members.push_back(std::move(line.member));
    }
    if (members.empty())
        return within(path, refused("the file of a pool names no device", "Write the id of a device a line").value());
    return members;
}

PoolMembers membersNow(const std::string &path)
{
    const auto text = readTextFile(path);
    if (!text)
        return {{}, {errorText(text.error())}};
    PoolMembers now;
    for (Line &line : linesOf(*text)) {
        if (const auto right = check(path, line); !right)
            now.wrong.push_back(errorText(right.error()));
        else
            now.ids.push_back(std::move(line.member));
    }
    return now;
}

std::string lineOfMember(const std::string &path, const std::string &id)
{
    const auto text = readTextFile(path);
    for (const Line &line : text ? linesOf(*text) : std::vector<Line>()) {
        if (line.member == id)
            return fmt::format("{}:{}", path, line.number);
    }
    return path;
}

} // namespace stagecraft
