#include "device/executing/running_program.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace stagecraft {
namespace {

constexpr std::size_t kMostShown = 80;                  // of a command line, in bytes
constexpr std::string_view kWorker = "stagecraft-work"; // the system keeps 15 letters of a program's name

std::string contentsOf(int process, const char *file)
{
    std::ifstream stream(fmt::format("/proc/{}/{}", process, file), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// The command line as it was typed, with the program's name instead of its path.
std::string commandLine(int process)
{
    std::string text = contentsOf(process, "cmdline");
    while (!text.empty() && text.back() == '\0')
        text.pop_back();
    const std::string program = text.substr(0, text.find('\0'));
    text.replace(0, program.size(), std::filesystem::path(program).filename().string());
    std::ranges::replace_if(
        text, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, ' ');
    if (text.size() <= kMostShown)
        return text;
    std::size_t end = kMostShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) // not within a letter
        --end;
    return text.substr(0, end) + "...";
}

} // namespace

// Of proc_pid_stat(5): number, name in brackets, state, parent. A name may have brackets in it.
std::optional<int> workingFor(int process)
{
    const std::string stat = contentsOf(process, "stat");
    const std::size_t begin = stat.find('(');
    const std::size_t end = stat.rfind(')');
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return std::nullopt;
    const bool isWorker = stat.substr(begin + 1, end - begin - 1).starts_with(kWorker);
    std::istringstream rest(stat.substr(end + 1));
    char state = 0;
    int parent = 0;
    if (!isWorker || !(rest >> state >> parent) || parent <= 1) // its program has ended
        return process;
    return parent;
}

std::string runningProgram(int process)
{
    const auto program = workingFor(process);
    if (!program)
        return {};
    const std::string command = commandLine(*program);
    const std::string number = fmt::format("process {}", *program);
    return command.empty() ? number : fmt::format("{} ({})", command, number);
}

} // namespace stagecraft
