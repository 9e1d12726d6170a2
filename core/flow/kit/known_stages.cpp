#include "flow/kit/known_stages.h"

#include "schedule/stage_text.h"
#include "schedule/verify.h"
#include "search/infinity.h"
#include "timing/latency_quality.h"

#include <fmt/format.h>

#include <utility>

namespace stagecraft {

KnownStages::KnownStages(std::shared_ptr<const Graph> graph) : m_graph(std::move(graph)), m_signer(*m_graph) {}

Result<std::unique_ptr<KnownStages>> KnownStages::make(std::shared_ptr<const Graph> graph,
                                                       const RecordedLatencies &recording)
{
    if (graph->batch() != recording.batch)
        return fail(
            ErrorCode::WrongUse,
            fmt::format("it was recorded at batch {}, the model is at batch {}", recording.batch, graph->batch()),
            fmt::format("Open the model with --batch {}", recording.batch));
    auto known = std::make_unique<KnownStages>(std::move(graph));
    if (recording.kit) {
        known->m_boundary = recording.kit->boundary;
        known->m_chainsAddUp = recording.kit->chainsAddUp;
    }
    for (const RecordedStage &stage : recording.stages)
        TRY(known->add(stage, stage.timing, {}));
    for (const RefusedStage &each : recording.refused)
        TRY(known->add(each.stage, {}, each.reason.empty() ? "no reason is given" : each.reason));
    known->list();
    return known;
}

Result<void> KnownStages::add(const RecordedStage &named, Timing timing, std::string refusal)
{
    const auto refuse = [&](std::string reason) {
        return within(fmt::format("line {}", named.line),
                      Error{ErrorCode::InvalidInput, std::move(reason), "Open the model that it was recorded for", {}});
    };
    Stage stage;
    stage.strategy = named.strategy;
    for (const std::vector<std::string> &group : named.groups) {
        std::vector<OperatorId> &ids = stage.groups.emplace_back();
        for (const std::string &name : group) {
            const auto id = m_graph->find(name);
            if (!id)
                return refuse(fmt::format("the model has no operator {}", name));
            ids.push_back(*id);
        }
    }
    stage = normalized(std::move(stage));
    if (const auto legal = verifyStage(*m_graph, stage); !legal)
        return refuse("the model cannot have this stage: " + legal.error().message);
    m_isNoisy = m_isNoisy || timing.hasSpread();
    const StageSignature signature = m_signer.sign(stage);
    const bool isRefused = !refusal.empty();
    const auto [place, isNew] = m_answers.try_emplace(signature, Answer{std::move(stage), timing, std::move(refusal)});
    if (isNew)
        m_order.push_back(signature);
    else if (!isRefused && place->second.timing.isDisturbed() && isBetter(timing, place->second.timing))
        place->second.timing = std::move(timing);
    return {};
}

void KnownStages::list()
{
    for (const StageSignature &signature : m_order) {
        const Answer &answer = m_answers.at(signature);
        if (!answer.refusal.empty()) {
            ++m_refused;
            continue;
        }
        m_measured.push_back(answer.stage);
        if (answer.timing.isDisturbed())
            m_disturbed.push_back(answer.stage);
    }
}

StageSignature KnownStages::signatureOf(const StageQuestion &question) const
{
    return question.signature ? *question.signature : m_signer.sign(question.stage);
}

std::optional<double> KnownStages::latencyUs(const StageSignature &signature) const
{
    const auto found = m_answers.find(signature);
    if (found == m_answers.end())
        return std::nullopt;
    return found->second.refusal.empty() ? found->second.timing.latencyUs : kInfinity;
}

Result<StageLatency> KnownStages::stageLatency(const StageQuestion &question, std::stop_token stop)
{
    if (stop.stop_requested())
        return fail(ErrorCode::Cancelled, "stopped");
    const auto found = m_answers.find(signatureOf(question));
    const auto name = [&] { return "{" + stageText(*m_graph, question.stage) + "}"; };
    if (found == m_answers.end())
        return fail(ErrorCode::DeviceFailed, "the recording has no latency of the stage " + name());
    if (!found->second.refusal.empty())
        return fail(ErrorCode::DeviceFailed,
                    fmt::format("the device refused the stage {}: {}", name(), found->second.refusal));
    return StageLatency{found->second.timing, LatencyKind::Recorded};
}

} // namespace stagecraft
