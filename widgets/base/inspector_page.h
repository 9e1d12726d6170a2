#pragma once

// The text of the inspector, as values: pages of sections of rows. Separate from the widgets, so that window and
// clipboard get the same words.

#include "model/model.h"
#include "schedule/timed_schedule.h"
#include "search/stages/search.h"
#include "widgets/base/selection.h"
#include "widgets/base/space_counts.h"

#include <QString>

#include <optional>
#include <span>
#include <vector>

namespace stagecraft {

struct InspectorLink {
    QString text;
    Selected target;
    std::optional<std::size_t> stage;          // gives the colour; nullopt: no colour
    std::optional<Stage> toTry = std::nullopt; // instead of a target: applied as an edit
    bool asksWhy = false;                      // instead of a target: what makes the runners-up dearer
};

struct InspectorRow {
    enum class Tone { Normal, Muted, Warning };

    QString key; // empty: the value takes the whole line
    QString value;
    Tone tone = Tone::Normal;
    std::optional<Provenance> provenance; // of the latency in `value`
    std::optional<double> share;          // 0..1, shown as a bar
    std::vector<InspectorLink> links;
};

struct InspectorSection {
    QString title;
    std::vector<InspectorRow> rows;
    std::optional<Provenance> provenance = std::nullopt; // of all latencies in it
};

struct InspectorPage {
    QString kind; // "Operator", "Stage", "Block", "Model"
    QString title;
    QString subtitle;
    std::optional<std::size_t> stage; // its colour is shown next to the title
    std::vector<InspectorSection> sections;
};

struct LatencyReasons;
struct LaunchOrderGain;
struct LayoutFacts;
struct ProfiledTime;
struct RunnerUpTime;

struct InspectorInput {
    const Model &model;
    const TimedSchedule *schedule = nullptr;
    const std::vector<BlockSearch> &search;
    const SpaceCounts *spaces = nullptr;
    const LatencyReasons *reasons = nullptr; // of the schedule (latency_reasons.h)
    std::span<const RunnerUpTime> runnerUpTimes = {};
    const LayoutFacts *layouts = nullptr; // layout_section.h
    std::span<const ProfiledTime> profiled = {};
    const LaunchOrderGain *launchOrder = nullptr; // of the stage that is shown (launch_order_gain.h)
};

[[nodiscard]] InspectorPage operatorPage(const InspectorInput &input, OperatorId op);
[[nodiscard]] InspectorPage stagePage(const InspectorInput &input, std::size_t stage);
[[nodiscard]] InspectorPage blockPage(const InspectorInput &input, std::size_t block);
[[nodiscard]] InspectorPage modelPage(const InspectorInput &input);

[[nodiscard]] QString plainText(const InspectorPage &page);

// Building blocks of pages.
[[nodiscard]] InspectorRow textRow(const QString &key, const QString &value,
                                   InspectorRow::Tone tone = InspectorRow::Tone::Normal);
[[nodiscard]] InspectorLink linkTo(const InspectorInput &input, OperatorId op);
[[nodiscard]] InspectorLink linkToStage(std::size_t stage);
[[nodiscard]] InspectorLink linkToBlock(std::size_t block);
// Adds a row for each known fact about how a latency was measured.
void addTiming(InspectorSection &section, const Timing &timing);
[[nodiscard]] std::optional<double> stageLatencyUs(const TimedSchedule &schedule, std::size_t stage);
[[nodiscard]] std::vector<InspectorRow> attributeRows(const Operator &op);
[[nodiscard]] InspectorRow latencyRow(const QString &key, double latencyUs, const TimedSchedule &schedule,
                                      bool atLeast);
[[nodiscard]] InspectorRow shareRow(const QString &key, const QString &value, double share);
[[nodiscard]] QString strategyText(const Stage &stage);
// The block's stages that the search did not choose, with their costs: those that share an operator with `stage`, or
// all. No rows if the block was not searched.
[[nodiscard]] InspectorSection runnersUpSection(const InspectorInput &input, std::size_t block, const Stage *stage);
// What the stage's operators would take under other strategies, where that was tried; no rows for a single operator.
[[nodiscard]] InspectorSection strategiesSection(const InspectorInput &input, const Stage &stage);
// The rTasks of a fused stage; no rows for others, or while its timeline is not known.
[[nodiscard]] InspectorSection fusedSection(const InspectorInput &input, std::size_t stage);
// "concat(a + b, c)", or "a, b" if operands are separate.
[[nodiscard]] QString expressionText(const Graph &graph, const Operator &op);

} // namespace stagecraft
