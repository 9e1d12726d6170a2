#include "flow/verify_plan.h"

#include "device/recorded/profiles/profile_reader.h"
#include "export/file_kind.h"
#include "flow/verify/cuda_graph_dot.h"
#include "flow/verify/launches_file.h"
#include "flow/verify/onnxruntime_streams.h"
#include "flow/verify/verify_cuda_graph.h"
#include "flow/verify/verify_program.h"
#include "flow/verify/verify_schedule_file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

std::optional<PlanKind> kindOf(const std::string &bytes)
{
    const FileKind kind = fileKindOfText(bytes);
    if (kind == FileKind::Schedule || kind == FileKind::IosJson)
        return PlanKind::Schedule;
    if (isCudaGraphDot(bytes))
        return PlanKind::CudaGraph;
    if (isOnnxRuntimeStreams(bytes))
        return PlanKind::OnnxRuntimeStreams;
    return isLaunchesFile(bytes) ? std::optional(PlanKind::Launches) : std::nullopt;
}

Result<VerifiedPlan> verifyLaunches(const std::string &text)
{
    TRY_AS(const auto program, programFromLaunches(text));
    TRY_AS(auto verified, verifyProgram(program));
    verified.buffers = program.allocations.size();
    verified.sharingPairs = sharingPairs(program);
    if (!program.capturedOn)
        verified.notShown.emplace_back("whether every stream is joined: the file names no \"origin\" of a capture");
    return verified;
}

Result<VerifiedPlan> verifyAs(const PlanFile &file, const Model *model)
{
    switch (file.kind) {
    case PlanKind::Schedule: return verifyScheduleFile(file.bytes, *model);
    case PlanKind::Launches: return verifyLaunches(file.bytes);
    case PlanKind::OnnxRuntimeStreams: return verifyOnnxRuntimeStreams(file.bytes, *model);
    case PlanKind::CudaGraph: return verifyCudaGraph(file.bytes, *model);
    }
    return refused("it is no plan");
}

} // namespace

std::string_view toString(PlanKind kind)
{
    switch (kind) {
    case PlanKind::Schedule: return "schedule";
    case PlanKind::Launches: return "launches";
    case PlanKind::OnnxRuntimeStreams: return "onnxruntime-streams";
    case PlanKind::CudaGraph: return "cuda-graph";
    }
    return {};
}

std::string_view wordsFor(PlanKind kind)
{
    switch (kind) {
    case PlanKind::Schedule: return "a schedule";
    case PlanKind::Launches: return "a file of launches";
    case PlanKind::OnnxRuntimeStreams: return "streams of ONNX Runtime";
    case PlanKind::CudaGraph: return "a CUDA graph";
    }
    return {};
}

Result<PlanFile> openPlan(const std::string &path, const std::stop_token &stop)
{
    TRY_AS(auto file, openProfileFile(path, stop));
    const auto kind = kindOf(file.bytes);
    if (!kind)
        return within(
            path,
            refused("it is no plan that this program knows",
                    "Give a schedule file, a file of launches (\"kind\": \"launches\"), streams of ONNX Runtime, or "
                    "a CUDA graph as cudaGraphDebugDotPrint writes it")
                .value());
    return PlanFile{path, std::move(file.bytes), *kind};
}

bool needsModel(PlanKind kind)
{
    return kind != PlanKind::Launches;
}

Result<VerifiedPlan> verifyPlan(const PlanFile &file, const Model *model)
{
    auto verified = verifyAs(file, model);
    if (!verified)
        return within(file.path, std::move(verified.error()));
    verified->kind = file.kind;
    return verified;
}

} // namespace stagecraft
