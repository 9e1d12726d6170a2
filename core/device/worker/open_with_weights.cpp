#include "device/worker/open_with_weights.h"

#include "device/worker/graph_weights.h"
#include "device/worker/protocol/messages.h"
#include "device/worker/worker_process.h"

#include <string>

namespace stagecraft::worker {
namespace {

constexpr int kTimesSent = 3; // what the worker does not find again

Result<void> sendLacking(WorkerProcess &process, const GraphWeights &weights, const Weights &lacking,
                         std::chrono::milliseconds deadline, const std::function<void(std::size_t bytes)> &sending,
                         const std::stop_token &stop)
{
    std::size_t bytes = 0;
    for (const std::string &name : lacking.sha256()) {
        if (!weights.find(name))
            return fail(ErrorCode::DeviceFailed, "the worker lacks weights that the graph does not have");
        bytes += weights.find(name)->size();
    }
    sending(bytes);
    for (const std::string &name : lacking.sha256()) {
        Request request;
        request.mutable_keep_values()->set_sha256(name);
        request.mutable_keep_values()->set_values(*weights.find(name));
        TRY(process.ask(request, deadline, stop));
    }
    return {};
}

} // namespace

Result<Reply> openWithWeights(WorkerProcess &process, Request &request, std::chrono::milliseconds deadline,
                              const std::function<void(std::size_t bytes)> &sending, const std::stop_token &stop)
{
    const GraphWeights weights(*request.mutable_open()->mutable_graph());
    Request question;
    for (const std::string &name : weights.names())
        question.mutable_weights()->add_sha256(name);
    if (weights.names().empty())
        return process.ask(request, deadline, stop);
    Result<Reply> reply = process.ask(question, deadline, stop);
    for (int sent = 0; reply && reply->what_case() == Reply::kLacking && sent < kTimesSent; ++sent) {
        TRY(sendLacking(process, weights, reply->lacking(), deadline, sending, stop));
        reply = process.ask(request, deadline, stop);
    }
    return reply;
}

} // namespace stagecraft::worker
