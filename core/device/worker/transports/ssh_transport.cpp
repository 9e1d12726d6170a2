#include "device/worker/transports/ssh_transport.h"

#include "support/child_process.h"
#include "support/shown_text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <sys/wait.h>
#include <utility>

namespace stagecraft::worker {
namespace {

constexpr int kOfSsh = 255;         // its status where it failed itself
constexpr int kConnectSeconds = 20; // where the configuration names none
constexpr int kLastPort = 65'535;
constexpr std::chrono::milliseconds kReadingConfiguration{5'000};
constexpr std::chrono::milliseconds kLongestBeginning{300'000}; // two minutes are sshd's own limit for passwords

constexpr std::array kSshFailures{
    KnownFailure{"Could not resolve hostname", Loss::Place, "ssh does not know the host {0}",
                 "Check its name, or describe it in ~/.ssh/config"},
    KnownFailure{"REMOTE HOST IDENTIFICATION HAS CHANGED", Loss::Place,
                 "the key of {0} is not the one that known_hosts has",
                 "Ask whoever looks after {0} whether its key has changed, then correct known_hosts"},
    KnownFailure{"Host key verification failed", Loss::Place, "ssh does not know the key of {0}",
                 "Log in once by hand (ssh {0}), compare the key's fingerprint and accept it"},
    KnownFailure{"Too many authentication failures", Loss::Place, "{0} refused too many keys",
                 "Name the right one in ~/.ssh/config (IdentityFile, IdentitiesOnly yes)"},
    KnownFailure{"Permission denied", Loss::Place, "{0} does not let this account in",
                 "Log in by hand first (ssh {0}); ssh-copy-id {0} puts your key there"},
    KnownFailure{"Connection refused", Loss::Connection, "{0} refuses connections of ssh",
                 "Start sshd there, or name its port: ssh:HOST:PORT/DEVICE"},
    KnownFailure{"timed out", Loss::Connection, "{0} does not answer",
                 "It may be asleep, switched off or behind a firewall: wake it, or connect to its network"},
    KnownFailure{"No route to host", Loss::Connection, "{0} cannot be reached",
                 "It may be asleep or switched off: wake it, or connect to its network"},
    KnownFailure{"Network is unreachable", Loss::Connection, "{0} cannot be reached",
                 "Connect this machine to its network"},
    KnownFailure{"not responding", Loss::Connection, "the connection to {0} was lost: it stopped answering", ""},
    KnownFailure{"Broken pipe", Loss::Connection, "the connection to {0} was lost", ""},
    KnownFailure{"closed by", Loss::Connection, "{0} closed the connection", ""},
    KnownFailure{"Connection reset", Loss::Connection, "the connection to {0} was lost", ""},
};

bool isPort(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number > 0 && number <= kLastPort;
}

// Whether the configuration for this host leaves the time to connect to the system, which waits for minutes.
bool hasNoConnectTimeout(std::vector<std::string> command)
{
    command.insert(command.begin() + 1, "-G");
    const auto settings = outputOf(std::move(command), kReadingConfiguration);
    return settings && settings->find("\nconnecttimeout none\n") != std::string::npos;
}

class SshTransport : public Transport {
public:
    SshTransport(SshHost host, RemoteProgram program)
        : Transport(host.destination, std::move(program)), m_host(std::move(host))
    {
    }

    Result<std::vector<std::string>> command() const override
    {
        TRY_AS(const auto ssh, carryingProgram("ssh", "Install OpenSSH's client (Debian: openssh-client)"));
        std::vector<std::string> command{ssh, "-T", "-oClearAllForwardings=yes", "-oRemoteCommand=none"};
        if (!m_host.port.empty())
            command.insert(command.end(), {"-p", m_host.port});
        auto asked = command;
        asked.insert(asked.end(), {"--", m_host.destination});
        if (hasNoConnectTimeout(std::move(asked)))
            command.push_back(fmt::format("-oConnectTimeout={}", kConnectSeconds));
        command.insert(command.end(), {"--", m_host.destination, commandFor(program())});
        return command;
    }

    std::optional<std::chrono::milliseconds> longestBeginning() const override { return kLongestBeginning; }

    std::string waitsFor(const std::string &) const override
    {
        return fmt::format("the connection to {}, for which ssh may ask on the terminal", place());
    }

    LostTransport lost(const TransportEnd &end) const override
    {
        const bool isOfSsh = end.status && WIFEXITED(*end.status) && WEXITSTATUS(*end.status) == kOfSsh;
        if (end.status && !isOfSsh && WIFEXITED(*end.status))
            return lostProgram(end, program(), place());
        // Once a worker has begun, the place was reached: such words were said there.
        auto known = knownFailure(kSshFailures, end, place());
        if (known && isOfSsh && !(end.hasBegun && known->what == Loss::Place))
            return *std::move(known);
        std::string reason =
            fmt::format("nothing more came from {}: its network, it or the worker there has stopped", place());
        if (end.status || !end.hasBegun)
            reason =
                fmt::format("the connection to {} {}: {}", place(), end.hasBegun ? "was lost" : "did not come about",
                            !end.status ? "nothing came"
                            : isOfSsh   ? "ssh failed"
                                        : "ssh " + exitText(*end.status));
        return lostBecause(Loss::Connection, std::move(reason), fmt::format("Try ssh {} by hand", place()), end);
    }

    bool endGently(int, const TransportEnd &) const override { return false; }

private:
    SshHost m_host;
};

} // namespace

Result<SshHost> sshHostFrom(std::string_view text)
{
    const auto wrong = [&](std::string_view reason) {
        return fail(ErrorCode::WrongUse, fmt::format("{} is no host for ssh: {}", shownText(text), reason),
                    "Use ssh:HOST/DEVICE, ssh:USER@HOST/DEVICE or ssh:HOST:PORT/DEVICE; whatever else a host needs is "
                    "said in ~/.ssh/config");
    };
    SshHost host;
    const std::size_t at = text.rfind('@');
    const std::string_view user = at == std::string_view::npos ? "" : text.substr(0, at);
    std::string_view name = at == std::string_view::npos ? text : text.substr(at + 1);
    if (at != std::string_view::npos && !isPlainWord(user, "._-+"))
        return wrong("its user has letters that a shell could read, or none");
    const bool isAddress = name.starts_with('[');
    const std::size_t colon = isAddress ? name.find(']') : name.find(':');
    if (isAddress && colon == std::string_view::npos)
        return wrong("its bracket is not closed");
    std::string_view port = colon == std::string_view::npos ? "" : name.substr(colon + 1);
    if (isAddress) {
        if (!port.empty() && port.front() != ':')
            return wrong("behind the bracket stands something else than :PORT");
        const bool hasPort = !port.empty();
        port = hasPort ? port.substr(1) : port;
        name = name.substr(1, colon - 1);
        if (hasPort && port.empty())
            return wrong("its port is no number from 1 to 65535");
    } else if (colon != std::string_view::npos) {
        name = name.substr(0, colon);
        if (port.empty())
            return wrong("its port is no number from 1 to 65535");
    }
    if (!isPlainWord(name, isAddress ? ".:%-" : "._-"))
        return wrong("its name has letters that ssh or a shell could read as something else, or none");
    if (!port.empty() && !isPort(port))
        return wrong("its port is no number from 1 to 65535");
    host.destination = user.empty() ? std::string(name) : fmt::format("{}@{}", user, name);
    host.port = port;
    return host;
}

std::shared_ptr<const Transport> sshTransport(SshHost host, RemoteProgram program)
{
    return std::make_shared<SshTransport>(std::move(host), std::move(program));
}

} // namespace stagecraft::worker
