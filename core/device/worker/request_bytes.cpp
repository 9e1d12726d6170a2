#include "device/worker/request_bytes.h"

#include "device/worker/protocol/channel.h"
#include "device/worker/protocol/messages.h"
#include "operators/parameter_values.h"
#include "schedule/stage_groups.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace stagecraft {
namespace {

Result<std::string> framed(const worker::Request &request)
{
    const std::size_t bytes = request.ByteSizeLong();
    if (bytes > worker::kMaxMessageBytes)
        return refused(fmt::format("the model takes {} MiB, and a message to a worker at most {}", bytes >> 20,
                                   worker::kMaxMessageBytes >> 20));
    std::string text;
    google::protobuf::io::StringOutputStream stream(&text);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteVarint32(static_cast<std::uint32_t>(bytes));
    request.SerializeWithCachedSizes(&coded);
    coded.Trim();
    return text;
}

worker::Request numbered(std::uint64_t id)
{
    worker::Request request;
    request.set_version(worker::kVersion);
    request.set_id(id);
    return request;
}

} // namespace

Result<std::string> openRequestBytes(const std::string &deviceId, const Graph &graph, const PythonMaker &python)
{
    for (const Operator &op : graph.operators()) {
        if (const auto fault = faultOf(op))
            return tl::unexpected(*fault);
    }
    worker::Request request = numbered(0);
    request.mutable_open()->set_device(deviceId);
    worker::write(graph, *request.mutable_open()->mutable_graph());
    TRY_AS(const auto statements, python.ofGraph(graph));
    worker::write(statements, *request.mutable_open()->mutable_python());
    return framed(request);
}

Result<std::string> stageRequestBytes(const Graph &graph, const Stage &stage, std::uint64_t id,
                                      const PythonMaker &python)
{
    worker::Request request = numbered(id);
    worker::Stage &message = *request.mutable_measure_stage();
    worker::write(stage, message);
    if (stage.isMerged()) {
        TRY_AS(const auto statements, python.ofMerge(graph, operatorsOf(stage)));
        worker::write(statements, *message.mutable_python());
    }
    return framed(request);
}

} // namespace stagecraft
