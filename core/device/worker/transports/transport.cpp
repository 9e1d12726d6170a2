#include "device/worker/transports/transport.h"

#include "support/child_process.h"
#include "support/shown_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <sys/wait.h>

namespace stagecraft::worker {
namespace {

constexpr int kNotThere = 127; // of POSIX shells
constexpr int kNotAllowed = 126;
constexpr int kSignals = 128;

constexpr std::string_view kOfPaths = "/._+-~";

// Sets `it` to `named`, a path or a name, or ends with a status that says why not. "~/" is the home folder there.
std::string findScript(const std::string &named)
{
    return "PATH=\"$PATH:$HOME/.local/bin:/usr/local/bin\"; it=" + named +
           "; command -v \"$it\" >/dev/null 2>&1 || { [ -e \"$it\" ] && exit 126; exit 127; }; ";
}

std::string shellPath(const std::string &path)
{
    return path.starts_with("~/") ? "\"$HOME\"/" + path.substr(2) : path;
}

} // namespace

Result<RemoteProgram> remoteWorker(const std::string &path)
{
    if (!path.empty() && !isPlainWord(path, kOfPaths))
        return fail(ErrorCode::WrongUse,
                    "the path " + shownText(path) +
                        " of a worker elsewhere has other letters than "
                        "those of plain paths",
                    "Give it a link with a plain name there");
    const std::string named = path.empty() ? "\"${STAGECRAFT_WORKER:-stagecraft-worker}\"" : shellPath(path);
    return RemoteProgram{path.empty() ? "stagecraft-worker" : path,
                         findScript(named),
                         {},
                         "Install stagecraft-worker there (in PATH or ~/.local/bin), or name it in "
                         "STAGECRAFT_REMOTE_WORKER"};
}

Result<RemoteProgram> remotePython(const std::string &text, const std::string &python)
{
    if (!isPlainWord(python, kOfPaths))
        return fail(ErrorCode::WrongUse,
                    "the path " + shownText(python) +
                        " of a Python elsewhere has other letters than those of plain paths",
                    "Give it a link with a plain name there");
    // os.read takes no byte more than it is asked for: those behind the text are messages.
    const std::string boot =
        fmt::format("import os\nn={}\nt=b\"\"\nwhile len(t)<n:\n p=os.read(0,n-len(t))\n if not p: os._exit(1)\n t+=p\n"
                    "exec(compile(t,\"stagecraft_worker\",\"exec\"),{{\"__name__\":\"__main__\"}})",
                    text.size());
    std::string octal; // printf's format: no letter that a login shell could read
    for (const unsigned char letter : boot)
        octal += fmt::format("\\{:03o}", letter);
    return RemoteProgram{python, findScript(shellPath(python)) + "set -- -u -c \"$(printf \"" + octal + "\")\"; ", text,
                         "Install python3 with PyTorch there, or name its Python in STAGECRAFT_REMOTE_PYTHON"};
}

std::string commandFor(const RemoteProgram &program)
{
    // Not exec: a shell that stays says how the worker ended.
    const std::string script = program.script + "echo; echo \"" +
                               std::string(kBeginning.substr(0, kBeginning.size() - 1)) + "\"; \"$it\" \"$@\"; exit $?";
    return "exec sh -c '" + script + "' sh";
}

bool isPlainWord(std::string_view text, std::string_view others)
{
    return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [&](unsigned char letter) {
        return std::isalnum(letter) != 0 || others.find(static_cast<char>(letter)) != std::string_view::npos;
    });
}

std::string lastLine(const std::string &text)
{
    const std::size_t last = text.find_last_not_of(" \r\n\t");
    if (last == std::string::npos)
        return {};
    const std::size_t before = text.find_last_of("\r\n", last);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    return shownText(text.substr(first, last + 1 - first));
}

std::optional<LostTransport> knownFailure(std::span<const KnownFailure> table, const TransportEnd &end,
                                          const std::string &place)
{
    const auto row = std::ranges::find_if(
        table, [&](const KnownFailure &each) { return end.said.find(each.text) != std::string::npos; });
    if (row == table.end())
        return std::nullopt;
    const auto words = [&](std::string_view pattern) { return fmt::format(fmt::runtime(pattern), place); };
    return LostTransport{row->what, {ErrorCode::DeviceFailed, words(row->reason), words(row->remedy), {}}};
}

LostTransport lostBecause(Loss what, std::string reason, std::string remedy, const TransportEnd &end)
{
    if (const std::string said = lastLine(end.said); !said.empty())
        reason += fmt::format(" ({})", said);
    return {what, {ErrorCode::DeviceFailed, std::move(reason), std::move(remedy), {}}};
}

Result<std::string> carryingProgram(const std::string &name, const std::string &remedy)
{
    std::string path = programInPath(name);
    if (path.empty())
        return fail(ErrorCode::DeviceFailed, fmt::format("this machine has no {} in PATH", name), remedy);
    return path;
}

LostTransport lostProgram(const TransportEnd &end, const RemoteProgram &program, const std::string &place)
{
    const auto because = [&](Loss what, std::string reason, std::string remedy = {}) {
        return lostBecause(what, std::move(reason), std::move(remedy), end);
    };
    const int status = end.status && WIFEXITED(*end.status) ? WEXITSTATUS(*end.status) : -1;
    if (status == kNotThere)
        return because(Loss::Place, fmt::format("{} has no {}", place, program.name), program.remedy);
    if (status == kNotAllowed)
        return because(Loss::Place, fmt::format("{} does not let this account run {}", place, program.name),
                       "Make it executable there (chmod +x)");
    if (!end.hasBegun)
        return because(Loss::Place,
                       fmt::format("{} did not start {}: its shell {}", place, program.name,
                                   end.status ? exitText(*end.status) : "does not answer"),
                       "Log in there by hand to see why");
    const std::string how = !end.status         ? "fell silent"
                            : status > kSignals ? exitText(status - kSignals)
                                                : exitText(*end.status);
    return because(Loss::Worker, fmt::format("the worker on {} {}", place, how));
}

} // namespace stagecraft::worker
