#include "flow/verify_plan.h"

#include "export/file_kind.h"
#include "flow/verify/cuda_graph_dot.h"
#include "flow/verify/launches_file.h"
#include "flow/verify/onnxruntime_streams.h"
#include "flow/verify/verify_cuda_graph.h"
#include "flow/verify/verify_profile.h"
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
    if (isLaunchesFile(bytes))
        return PlanKind::Launches;
    return readerOf(bytes) ? std::optional(PlanKind::Profile) : std::nullopt;
}

Result<VerifiedPlan> verifyLaunches(const std::string &text, const std::stop_token &stop)
{
    TRY_AS(const auto program, programFromLaunches(text));
    TRY_AS(auto verified, verifyProgram(program, stop));
    verified.buffers = wholeAllocations(program);
    verified.sharingPairs = sharingPairs(program);
    if (!program.capturedOn)
        verified.notShown.emplace_back("whether every stream is joined: the file names no \"origin\" of a capture");
    return verified;
}

Result<VerifiedPlan> verifyAs(PlanFile plan, const Model *model, const std::stop_token &stop)
{
    const std::string &text = plan.file.bytes;
    switch (plan.kind) {
    case PlanKind::Schedule: return verifyScheduleFile(text, *model, stop);
    case PlanKind::Launches: return verifyLaunches(text, stop);
    case PlanKind::OnnxRuntimeStreams: return verifyOnnxRuntimeStreams(text, *model, stop);
    case PlanKind::CudaGraph: return verifyCudaGraph(text, *model, stop);
    case PlanKind::Profile: return verifyProfile(std::move(plan.file), *model, stop);
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
    case PlanKind::Profile: return "profile";
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
    case PlanKind::Profile: return "a profile";
    }
    return {};
}

Result<PlanFile> openPlan(const std::string &path, const std::stop_token &stop)
{
    TRY_AS(auto file, openProfileFile(path, stop));
    const auto kind = kindOf(file.bytes);
    if (!kind)
        return within(
            path, refused("it is no plan that this program knows",
                          "Give a schedule file, a file of launches (\"kind\": \"launches\"), streams of ONNX Runtime, "
                          "a CUDA graph as cudaGraphDebugDotPrint writes it, or a profile")
                      .value());
    return PlanFile{std::move(file), *kind};
}

bool needsModel(PlanKind kind)
{
    return kind != PlanKind::Launches;
}

Result<VerifiedPlan> verifyPlan(PlanFile plan, const Model *model, const std::stop_token &stop)
{
    const std::string path = plan.file.path;
    const PlanKind kind = plan.kind;
    auto verified = verifyAs(std::move(plan), model, stop);
    if (!verified) {
        const bool isNamed = !verified.error().context.empty() && verified.error().context.front() == path;
        return isNamed ? verified : within(path, std::move(verified.error()));
    }
    verified->kind = kind;
    return verified;
}

} // namespace stagecraft
