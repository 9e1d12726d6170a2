#include "export/schedule_drawing.h"

#include "export/schedule_tables.h"
#include "graph/union_parts.h"
#include "operators/schema.h"
#include "results/schedule_words.h"
#include "schedule/model_colours.h"
#include "schedule/stage_colours.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kWidth = 960;
constexpr double kLanesLeft = 170; // behind stage number and latency
constexpr double kLanesWidth = kWidth - kLanesLeft - 16;
constexpr double kBoxHeight = 34;
constexpr double kGap = 4;
constexpr double kStageGap = 12;
constexpr double kTop = 58;
constexpr double kMargin = 16;
constexpr double kNarrowestLane = 104; // of a stream
constexpr double kRowGap = 14;         // between launches, both ways
constexpr double kLetterSize = 11;
constexpr double kLetter = 6.4; // the width of one, on average

struct Colours {
    int background = 0;
    int text = 0;
    int muted = 0;
    int bar = 0;
    int merge = 0; // the frame of merged operators
};

constexpr Colours kLight{0xffffff, 0x1a2129, 0x5b6875, 0x5b54c0, 0x8a4b00};
constexpr Colours kDark{0x14181d, 0xeef2f6, 0x9aa7b4, 0x9d97f2, 0xf0b060};

// The end tells operators apart: "...branch1x1/conv".
std::string fitted(const std::string &text, double width)
{
    std::string shown = shownText(text);
    const auto most = static_cast<std::size_t>(std::max(width / kLetter, 4.0));
    if (shown.size() <= most)
        return shown;
    std::size_t from = shown.size() - (most - 3);
    while (from < shown.size() && (static_cast<unsigned char>(shown[from]) & 0xC0U) == 0x80U)
        ++from; // not within a character
    return "..." + shown.substr(from);
}

class Drawer {
public:
    Drawer(const Graph &graph, const RatedResult &result, bool dark)
        : m_graph(graph), m_schedule(*result.schedule), m_colours(dark ? kDark : kLight), m_isDark(dark),
          m_models(partsOfUnion(graph))
    {
        for (const Timing &timing : m_schedule.measured.stages)
            m_longestUs = std::max(m_longestUs, timing.latencyUs);
        text(16, 26, fmt::format("{} of {}", result.name, graph.name()), {.size = 16, .isBold = true});
        text(16, 44, facts(), {.colour = m_colours.muted});
        if (m_schedule.streams)
            drawStreams(*m_schedule.streams);
        for (std::size_t stage = 0; stage < m_schedule.stages.size(); ++stage)
            drawStage(stage);
    }

    [[nodiscard]] ScheduleDrawing drawing() &&
    {
        m_drawing.width = m_width;
        m_drawing.height = m_y;
        m_drawing.background = m_colours.background;
        return std::move(m_drawing);
    }

private:
    struct Style {
        double size = kLetterSize;
        bool isBold = false;
        std::optional<int> colour = std::nullopt; // empty: that of text
    };

    [[nodiscard]] std::string facts() const
    {
        std::string text = fmt::format("{}, batch {}, {}", orderText(m_schedule), m_schedule.context.batch,
                                       m_schedule.context.precision);
        if (m_schedule.latencyUs())
            text += fmt::format(", {} on {} ({})", latencyOf(m_schedule), m_schedule.context.device,
                                provenanceWords(m_schedule));
        const bool hasMergedLaunch =
            m_schedule.streams && std::ranges::any_of(m_schedule.streams->launches, &StreamLaunch::isMerged);
        if (hasMergedLaunch || std::ranges::any_of(m_schedule.stages, &Stage::isMerged))
            text += "; framed: merged into one bigger operator";
        for (std::size_t model = 0; model < m_models.size(); ++model)
            text += fmt::format("{} {}: bars with {}", model == 0 ? ";" : ",", shownText(m_models[model].name),
                                kModelBars[model % kModelBars.size()].words);
        return text;
    }

    void text(double x, double y, const std::string &content, const Style &style)
    {
        m_drawing.texts.push_back(
            {x, y, shownText(content), style.size, style.isBold, style.colour.value_or(m_colours.text)});
    }

    void box(double x, double y, double width, double height, std::size_t stage, bool isMerged, const std::string &tip)
    {
        const int fill = m_isDark ? kStageDark[stage % kStageDark.size()] : kStageLight[stage % kStageLight.size()];
        m_drawing.boxes.push_back(
            {x, y, width, height, 4, fill, isMerged ? std::optional(m_colours.merge) : std::nullopt, shownText(tip)});
    }

    // At the left edge of the operator's box.
    void drawModel(OperatorId id, double x, double y)
    {
        constexpr double kWide = 4;
        const auto model = partOf(m_models, id);
        if (!model)
            return;
        const auto &colours = m_isDark ? kModelDark : kModelLight;
        const ModelBar &bar = kModelBars[*model % kModelBars.size()];
        const double bottom = y + kBoxHeight - 2;
        const double step = bar.gap > 0 ? bar.line + bar.gap : kBoxHeight;
        for (double top = y + 2; top < bottom; top += step)
            m_drawing.boxes.push_back({x + 1, top, kWide, std::min(bar.gap > 0 ? bar.line : step, bottom - top), 0,
                                       colours[*model % colours.size()], std::nullopt,
                                       shownText(m_models[*model].name)});
    }

    void drawOperator(OperatorId id, double x, double width, double y)
    {
        const Operator &op = m_graph.op(id);
        drawModel(id, x, y);
        text(x + 8, y + 14, fitted(op.name, width - 16), {});
        text(x + 8, y + 27, fitted(displayType(op), width - 16), {.size = 9});
    }

    void drawStreams(const Streams &streams)
    {
        const auto count = static_cast<double>(std::max<std::uint32_t>(streams.count, 1));
        const double lane = std::max(kNarrowestLane, (kWidth - 2 * kMargin) / count);
        m_width = std::max(kWidth, 2 * kMargin + count * lane);
        for (std::uint32_t stream = 0; stream < streams.count; ++stream)
            text(kMargin + stream * lane, m_y + 12, fmt::format("Stream {}", stream + 1), {.isBold = true});
        m_y += 24;
        const std::vector<std::size_t> rows = launchRows(streams);
        const double step = kBoxHeight + kRowGap;
        const auto topOf = [&](std::size_t launch) { return m_y + static_cast<double>(rows[launch]) * step; };
        const auto leftOf = [&](std::size_t launch) { return kMargin + streams.launches[launch].stream * lane; };
        const double width = lane - kRowGap;
        for (std::size_t i = 0; i < streams.launches.size(); ++i) {
            const StreamLaunch &launch = streams.launches[i];
            std::string names;
            for (const OperatorId id : launch.operators)
                names += (names.empty() ? "" : " + ") + m_graph.op(id).name;
            box(leftOf(i), topOf(i), width, kBoxHeight, launch.stream, launch.isMerged(), names);
            drawModel(launch.operators.front(), leftOf(i), topOf(i));
            text(leftOf(i) + 8, topOf(i) + 14, fitted(names, width - 16), {});
            const std::string type = displayType(m_graph.op(launch.operators.front()));
            text(leftOf(i) + 8, topOf(i) + 27,
                 fmt::format("{}  {}", i + 1, fitted(launch.isMerged() ? "merged" : type, width - 36)), {.size = 9});
            for (const std::uint32_t before : launch.waits)
                m_drawing.arrows.push_back({leftOf(before) + width / 2, topOf(before) + kBoxHeight,
                                            leftOf(i) + width / 2, topOf(i), m_colours.muted});
        }
        m_y += rows.empty() ? 0 : static_cast<double>(rows.back() + 1) * step;
    }

    void drawStage(std::size_t index)
    {
        const Stage &stage = m_schedule.stages[index];
        if (index == 0 || stage.block != m_schedule.stages[index - 1].block) {
            text(16, m_y + 12, fmt::format("Block {}", stage.block + 1), {.isBold = true});
            m_y += 22;
        }
        const bool isMerged = stage.isMerged();
        const double lane = (kLanesWidth - kGap * static_cast<double>(stage.groups.size() - 1)) /
                            static_cast<double>(stage.groups.size());
        std::size_t deepest = 1;
        for (const auto &group : stage.groups)
            deepest = std::max(deepest, group.size());
        const double height = static_cast<double>(deepest) * (kBoxHeight + kGap) - kGap;
        text(16, m_y + 15, fmt::to_string(index + 1), {.isBold = true});
        if (m_schedule.hasStageLatencies()) {
            const double us = m_schedule.measured.stages[index].latencyUs;
            text(52, m_y + 15, plainLatency(us), {});
            m_drawing.boxes.push_back(
                {52, m_y + 21, m_longestUs > 0 ? 104 * us / m_longestUs : 0, 4, 2, m_colours.bar, {}, {}});
        }
        if (isMerged)
            box(kLanesLeft, m_y, kLanesWidth, height, index, true, "merged: one bigger operator, then a split");
        if (stage.isFused())
            text(16, m_y + 34, "fused", {.size = 9});
        for (std::size_t group = 0; group < stage.groups.size(); ++group) {
            const double x = kLanesLeft + static_cast<double>(group) * (lane + kGap);
            for (std::size_t i = 0; i < stage.groups[group].size(); ++i) {
                const OperatorId id = stage.groups[group][i];
                const double y = m_y + static_cast<double>(i) * (kBoxHeight + kGap);
                if (!isMerged)
                    box(x, y, lane, kBoxHeight, index, false, m_graph.op(id).name);
                drawOperator(id, x, lane, y);
            }
        }
        m_y += height + kStageGap;
    }

    const Graph &m_graph;
    const TimedSchedule &m_schedule;
    Colours m_colours;
    bool m_isDark;
    std::vector<UnionPart> m_models; // of several
    double m_longestUs = 0;
    double m_y = kTop;
    double m_width = kWidth;
    ScheduleDrawing m_drawing;
};

} // namespace

double DrawnArrow::bend() const
{
    return std::clamp((toY - fromY) / 2, 6.0, 26.0);
}

ScheduleDrawing drawSchedule(const Graph &graph, const RatedResult &result, bool dark)
{
    return Drawer(graph, result, dark).drawing();
}

} // namespace stagecraft
