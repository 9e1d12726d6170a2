#include "device/worker/transports/elsewhere.h"

#include "device/worker/transports/slurm_transport.h"
#include "device/worker/transports/ssh_transport.h"
#include "timing/device_id.h"

#include <utility>

namespace stagecraft::worker {
namespace {

constexpr std::string_view kSsh = "ssh:";
constexpr std::string_view kSlurm = "slurm:";
constexpr std::string_view kRandom = "random";

// Takes the last word off `text`, if it is that one.
bool takeLast(std::string_view &text, std::string_view word)
{
    if (!text.ends_with(word) || text.size() <= word.size())
        return false;
    const char before = text[text.size() - word.size() - 1];
    if (before != ':' && before != ',')
        return false;
    text.remove_suffix(word.size() + 1);
    return true;
}

} // namespace

ElsewhereId elsewhereFrom(std::string_view id)
{
    return {std::string(id.substr(0, id.find('/'))), std::string(ownDeviceId(id))};
}

Result<Route> routeTo(std::string_view where, RemoteProgram program)
{
    const bool isSsh = where.starts_with(kSsh);
    std::string_view place = where.substr(isSsh ? kSsh.size() : kSlurm.size());
    const bool makesWeights = takeLast(place, kRandom);
    if (isSsh) {
        TRY_AS(SshHost host, sshHostFrom(place));
        return Route{sshTransport(std::move(host), std::move(program)), makesWeights};
    }
    TRY_AS(SlurmJob job, slurmJobFrom(place));
    return Route{slurmTransport(std::move(job), std::move(program)), makesWeights};
}

} // namespace stagecraft::worker
