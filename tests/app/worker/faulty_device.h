#pragma once

// The device of faulty_worker.cpp as a worker device, and a graph with all its behaviours.

#include "device/worker/worker_device.h"
#include "graph/graph.h"
#include "support/graph_making.h"
#include "support/places.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace stagecraft::test {

inline WorkerOptions faulty()
{
    WorkerOptions options;
    options.command = {testProgramPath("faulty-worker").toStdString()};
    options.stageDeadline = std::chrono::milliseconds(1500);
    options.silence = std::chrono::milliseconds(1200);
    return options;
}

// What a device tells people, on whatever thread.
class Told {
public:
    [[nodiscard]] std::function<void(const std::string &)> listener()
    {
        return [this](const std::string &line) {
            const std::lock_guard lock(m_mutex);
            m_text += line + '\n';
        };
    }
    [[nodiscard]] std::string text() const
    {
        const std::lock_guard lock(m_mutex);
        return m_text;
    }
    [[nodiscard]] bool has(const std::string &part) const { return text().find(part) != std::string::npos; }
    [[nodiscard]] int count(const std::string &part) const
    {
        const std::string all = text();
        int found = 0;
        for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1))
            ++found;
        return found;
    }

private:
    mutable std::mutex m_mutex; // protects m_text
    std::string m_text;
};

// Activations on one input, one per behaviour of the faulty device.
inline std::shared_ptr<const Graph> behaviours()
{
    GraphBuilder builder("behaviours");
    const TensorId x = take(builder.addInput("x", Shape{{1, 8, 4, 4}}));
    for (const char *name :
         {"fine", "crash", "exit", "hang", "stop", "slow", "print", "break", "refuse", "once", "nap"}) {
        Operator op;
        op.name = name;
        op.kind = OperatorKind::Activation;
        op.attributes = Activation{ActivationKind::Relu};
        op.inputs = {{x}};
        take(builder.add(std::move(op)));
    }
    return std::make_shared<Graph>(take(builder.build()));
}

inline Stage stageOf(const Graph &graph, const char *name)
{
    return {0, Strategy::Concurrent, {{*graph.find(name)}}};
}

inline std::unique_ptr<DeviceSession> openFaulty(const std::shared_ptr<const Graph> &graph)
{
    return take(makeWorkerDevice("faulty", faulty())->open(graph));
}

} // namespace stagecraft::test
