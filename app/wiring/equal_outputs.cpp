#include "wiring/equal_outputs.h"

#include "device/worker/request_bytes.h"
#include "device/worker/transports/pytorch.h"
#include "measure/store/latency_store.h"
#include "support/sha256.h"
#include "wiring/pytorch_worker.h"

#include <fmt/format.h>

namespace stagecraft {
namespace {

// Empty: it cannot be sent.
std::string digestOf(const DeviceInfo &device, const Graph &graph)
{
    const auto request = openRequestBytes(device.id, graph, pythonMaker());
    if (!request)
        return {};
    Sha256 hash;
    hash.add(fmt::format("{}\n{}\n", device.precision, STAGECRAFT_VERSION)); // of what cpu computes, too
    hash.add(pytorchWorkerText());
    hash.add(*request);
    return hash.digest();
}

} // namespace

void rememberEqualOutputs(OutputCheck &check, const DeviceInfo &device, const std::string &storePath)
{
    check.digest = [device](const Graph &graph) { return digestOf(device, graph); };
    check.wereEqual = [=](const std::string &digest) {
        auto store = LatencyStore::open(storePath);
        return store && store->hasEqualOutputs(device.fingerprint, digest).value_or(false);
    };
    check.keepEqual = [=](const std::string &digest) {
        if (auto store = LatencyStore::open(storePath))
            (void)store->addEqualOutputs(device.fingerprint, digest); // it is compared again otherwise
    };
}

} // namespace stagecraft
