// How long a search on another machine takes to its first latency, with a model of 104 MB: the first time, when its
// weights travel, and the second, when they are kept there, beside the same device of this machine. The other machine
// is sshd on the loopback.
//   bench_elsewhere [DEVICE...]

#include "device/device.h"
#include "support/graph_making.h"
#include "support/ssh_server.h"
#include "wiring/device_catalog.h"

#include <QCoreApplication>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr std::int64_t kChannels = 1024; // 4 MiB of weights an operator
constexpr int kOperators = 25;

std::shared_ptr<const Graph> manyWeights()
{
    GraphBuilder builder("many weights");
    TensorId x = take(builder.addInput("x", Shape{{1, kChannels, 2, 2}}));
    for (int i = 0; i < kOperators; ++i) {
        const std::string name = "conv" + std::to_string(i);
        std::vector<float> values(kChannels * kChannels, 0.001F);
        values.front() = static_cast<float>(i); // each is another
        Operator op = conv(name, {{x}}, kChannels);
        op.parameters = {{"weight", name + ".weight", Shape{{kChannels, kChannels, 1, 1}}, DataType::Float32,
                          shared(std::move(values))}};
        x = take(builder.add(std::move(op)));
    }
    return std::make_shared<Graph>(take(builder.build()));
}

// Empty: the device cannot be used, which was said.
std::optional<double> secondsToTheFirst(const std::string &id, const std::shared_ptr<const Graph> &graph)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto first = [&]() -> Result<StageLatency> {
        TRY_AS(const auto device, findDevice(id));
        TRY_AS(const auto session, device->open(graph));
        return session->measureStage({0, Strategy::Concurrent, {{OperatorId{0}}}}, {});
    }();
    if (first)
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::fprintf(stderr, "%s: %s\n", id.c_str(), first.error().message.c_str());
    return std::nullopt;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QTemporaryDir data;
    qputenv("XDG_DATA_HOME", data.path().toUtf8());
    qputenv("STAGECRAFT_WORKER", programPath("stagecraft-worker").toUtf8());
    const SshServer server;
    if (!server.whyNot().isEmpty() || !server.setWorkerProgram(programPath("stagecraft-worker"))) {
        std::fprintf(stderr, "%s\n", qPrintable(server.whyNot()));
        return 1;
    }
    std::vector<std::string> devices(argv + 1, argv + argc);
    if (devices.empty())
        devices = {"cpu", "pytorch:cpu"};
    const auto graph = manyWeights();
    for (const std::string &device : devices) {
        QDir(server.weights()).removeRecursively();
        const auto here = secondsToTheFirst(device, graph);
        const auto first = here ? secondsToTheFirst("ssh:there/" + device, graph) : std::nullopt;
        const auto second = first ? secondsToTheFirst("ssh:there/" + device, graph) : std::nullopt;
        if (second)
            std::printf("%-12s here %.2f s, there first %.2f s, second %.2f s: %.2f of the first, %.2f of here\n",
                        device.c_str(), *here, *first, *second, *second / *first, *second / *here);
    }
    return 0;
}
