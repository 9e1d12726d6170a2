#pragma once

// What carries a worker's messages to and from another machine: a program of this one (ssh, srun) whose standard input
// and output are the worker's. Nothing listens on a port. Threads: its functions may be called on any thread.

#include "support/result.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::worker {

// What is run there.
struct RemoteProgram {
    std::string name;     // for people: "stagecraft-worker"
    std::string script;   // for a POSIX shell; its last command is the worker. Status 127: it is not there
    std::string prologue; // bytes that it reads before the first message
    std::string remedy;   // where it is not there
};

// stagecraft-worker as that machine names it (STAGECRAFT_WORKER), as `path` does, or from PATH or ~/.local/bin.
// WrongUse: a path that a shell could misread.
[[nodiscard]] Result<RemoteProgram> remoteWorker(const std::string &path = {});

// The text of a program in Python. `python`: a path or a name in PATH there, "python3". The same errors.
[[nodiscard]] Result<RemoteProgram> remotePython(const std::string &text, const std::string &python);

// Written on its own line before the worker's messages. What shells print before it is skipped.
inline constexpr std::string_view kBeginning = "stagecraft: begin\n";

// One command line that any login shell understands: says kBeginning, then runs the program.
[[nodiscard]] std::string commandFor(const RemoteProgram &program);

// How the carrying program ended.
struct TransportEnd {
    std::optional<int> status; // as of waitpid; empty: it was killed, since it was silent for too long
    std::string said;          // the last of its standard error
    bool hasBegun = false;     // kBeginning had come
    std::string greeting{};    // what came on its standard output before that
};

// What was lost, which says whether another try makes sense.
enum class Loss {
    Worker,     // it ended by itself: what it was asked for may have ended it
    Connection, // a new one may do
    Place,      // nothing will do before a person does something
};

struct LostTransport {
    Loss what = Loss::Worker;
    Error error;
};

class Transport {
public:
    // `place`: for people, "gpu1".
    Transport(std::string place, RemoteProgram program) : m_place(std::move(place)), m_program(std::move(program)) {}
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;
    virtual ~Transport() = default;

    [[nodiscard]] const std::string &place() const { return m_place; }
    [[nodiscard]] const RemoteProgram &program() const { return m_program; }
    // The carrying program first, as a path. DeviceFailed: this machine does not have it.
    [[nodiscard]] virtual Result<std::vector<std::string>> command() const = 0;
    // Until kBeginning; empty: as long as it takes.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> longestBeginning() const = 0;
    // What is waited for until then, for people, as a noun.
    [[nodiscard]] virtual std::string waitsFor(const std::string &said) const = 0;
    [[nodiscard]] virtual LostTransport lost(const TransportEnd &end) const = 0;
    // Ends the carrying program where killing it would leave something behind. False: it runs still. `soFar`: without a
    // status.
    [[nodiscard]] virtual bool endGently(int process, const TransportEnd &soFar) const = 0;

private:
    std::string m_place;
    RemoteProgram m_program;
};

// Of the table's rows the first whose text was said.
struct KnownFailure {
    std::string_view text;
    Loss what;
    std::string_view reason; // {0}: the place
    std::string_view remedy; // {0}: the place
};
[[nodiscard]] std::optional<LostTransport> knownFailure(std::span<const KnownFailure> table, const TransportEnd &end,
                                                        const std::string &place);

// What the program there ended with; `status` as of waitpid, where a shell turned signals into 128 and more.
[[nodiscard]] LostTransport lostProgram(const TransportEnd &end, const RemoteProgram &program,
                                        const std::string &place);

// Of DeviceFailed; the last line that was said stands behind the reason, in brackets.
[[nodiscard]] LostTransport lostBecause(Loss what, std::string reason, std::string remedy, const TransportEnd &end);

// The path of a program that carries messages. DeviceFailed, with the remedy: PATH has none.
[[nodiscard]] Result<std::string> carryingProgram(const std::string &name, const std::string &remedy);

// Letters, digits and `others`, and no hyphen first: neither an option nor anything that a shell reads.
[[nodiscard]] bool isPlainWord(std::string_view text, std::string_view others);

// The last line that is not empty, safe to show.
[[nodiscard]] std::string lastLine(const std::string &text);

} // namespace stagecraft::worker
