#pragma once

// Workers over the person's own OpenSSH client, `ssh` in PATH, with its configuration, keys, agent and known_hosts. It
// may ask for passwords, on the terminal or through SSH_ASKPASS. Forwardings of the configuration stay closed.

#include "device/worker/transports/transport.h"

#include <memory>
#include <string>
#include <string_view>

namespace stagecraft::worker {

// "me@gpu1:2222" in parts.
struct SshHost {
    std::string destination; // "me@gpu1", without the brackets of an address
    std::string port;        // empty: as configured

    friend bool operator==(const SshHost &, const SshHost &) = default;
};

// WrongUse: something that ssh or a shell could take for anything but a host.
[[nodiscard]] Result<SshHost> sshHostFrom(std::string_view text);

[[nodiscard]] std::shared_ptr<const Transport> sshTransport(SshHost host, RemoteProgram program);

} // namespace stagecraft::worker
