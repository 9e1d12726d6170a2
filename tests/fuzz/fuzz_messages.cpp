// Messages between the program and its worker: what the worker reads, and what the program reads of a worker that may
// be on another machine.

#include "device/simulated/simulated_device.h"
#include "device/worker/protocol/messages.h"
#include "flow/open_model.h"
#include "fuzz/target.h"
#include "search/stages/baselines.h"

namespace stagecraft::fuzz {
namespace {

// Of the graph that was read last; a stage or a schedule alone is about one of two operators.
void readAbout(const worker::Request &request, const stagecraft::Graph &graph)
{
    switch (request.what_case()) {
    case worker::Request::kMeasureStage: (void)worker::read(request.measure_stage(), graph); break;
    case worker::Request::kWorkspace: (void)worker::read(request.workspace(), graph); break;
    case worker::Request::kMeasureWhole: (void)worker::read(request.measure_whole(), graph); break;
    case worker::Request::kTimeline: (void)worker::read(request.timeline(), graph); break;
    case worker::Request::kRun:
        (void)worker::read(request.run().schedule(), graph);
        for (const worker::HostTensor &tensor : request.run().inputs())
            (void)worker::read(tensor);
        break;
    default: break;
    }
}

// What a timeline names is there.
void readTimeline(const worker::Timeline &message)
{
    const stagecraft::Graph &graph = *sampleModel().graph;
    const auto read = worker::read(message, graph, graph.size());
    if (!read)
        return;
    for (const stagecraft::KernelSpan &kernel : read->kernels)
        (void)operatorNames(graph, kernel);
}

template <typename Message, typename Fill>
std::string textOf(const Fill &fill)
{
    Message message;
    message.set_version(worker::kVersion);
    fill(message);
    return message.SerializeAsString();
}

} // namespace

std::vector<std::string> madeRequests()
{
    const auto &model = sampleModel();
    const stagecraft::Schedule schedule = sequentialSchedule(*model.graph, model.blocks);
    return {textOf<worker::Request>([&](worker::Request &request) {
                request.mutable_open()->set_device("cpu");
                worker::write(*model.graph, *request.mutable_open()->mutable_graph());
                worker::write(ModelFile{"/a.onnx", std::string(64, 'a'), {}}, *request.mutable_open()->mutable_file());
            }),
            textOf<worker::Request>([&](worker::Request &request) {
                worker::write(schedule.stages.front(), *request.mutable_measure_stage());
            }),
            textOf<worker::Request>(
                [&](worker::Request &request) { worker::write(schedule, *request.mutable_measure_whole()); }),
            textOf<worker::Request>([&](worker::Request &request) {
                worker::write(schedule, *request.mutable_run()->mutable_schedule());
                worker::write(HostTensor{"input", {{1, 2}}, {1, 2}}, *request.mutable_run()->add_inputs());
            })};
}

std::vector<std::string> madeReplies()
{
    const auto &model = sampleModel();
    const auto device = openSimulatedDevice("v100");
    requireDone(device, "a simulated device is known");
    const auto session = (*device)->open(model.graph);
    requireDone(session, "a simulated device opens");
    const auto timeline = (*session)->timeline(sequentialSchedule(*model.graph, model.blocks), {});
    requireDone(timeline, "a simulated device has a timeline");
    stagecraft::DeviceInfo info;
    info.id = "cpu";
    info.title = "a CPU";
    info.facts = {{"cores", "2"}};
    return {textOf<worker::Reply>(
                [&](worker::Reply &reply) { worker::write(info, *reply.mutable_devices()->add_devices()); }),
            textOf<worker::Reply>([](worker::Reply &reply) {
                worker::write(Timing{.latencyUs = 5, .meanUs = 6, .stddevUs = 1, .runs = 9}, *reply.mutable_sample());
            }),
            textOf<worker::Reply>([](worker::Reply &reply) {
                worker::write(Error{ErrorCode::DeviceFailed, "no memory", "close others", {"cpu"}},
                              *reply.mutable_failure());
            }),
            textOf<worker::Reply>([](worker::Reply &reply) {
                worker::write(HostTensor{"output", {{2}}, {1, 2}}, *reply.mutable_outputs()->add_tensors());
            }),
            textOf<worker::Reply>([&](worker::Reply &reply) { worker::write(*timeline, *reply.mutable_timeline()); })};
}

void readRequest(std::string_view bytes)
{
    static stagecraft::Graph graph;
    worker::Request request;
    if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return;
    if (request.has_open()) {
        if (request.open().has_file())
            (void)worker::read(request.open().file());
        auto read = worker::read(request.open().graph());
        if (!read)
            return;
        worker::Graph written;
        worker::write(*read, written);
        requireDone(worker::read(written), "a graph that was read can be sent on");
        graph = std::move(*read);
    }
    readAbout(request, graph);
}

void readReply(std::string_view bytes)
{
    worker::Reply reply;
    if (!reply.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
        return;
    switch (reply.what_case()) {
    case worker::Reply::kHeartbeat: (void)worker::read(reply.heartbeat()); break;
    case worker::Reply::kFailure: (void)worker::read(reply.failure()); break;
    case worker::Reply::kInfo: (void)worker::read(reply.info()); break;
    case worker::Reply::kSample: (void)worker::read(reply.sample()); break;
    case worker::Reply::kTimeline: readTimeline(reply.timeline()); break;
    case worker::Reply::kOutputs:
        for (const worker::HostTensor &tensor : reply.outputs().tensors())
            (void)worker::read(tensor);
        break;
    case worker::Reply::kDevices:
        for (const worker::DeviceInfo &info : reply.devices().devices())
            (void)worker::read(info);
        break;
    default: break;
    }
}

} // namespace stagecraft::fuzz
