#include "export/schedule_svg.h"

#include "operators/schema.h"
#include "schedule/schedule_words.h"
#include "support/markup_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"
#include "support/stage_colours.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace stagecraft {
namespace {

constexpr double kWidth = 960;
constexpr double kLanesLeft = 170; // behind stage number and latency
constexpr double kLanesWidth = kWidth - kLanesLeft - 16;
constexpr double kBoxHeight = 34;
constexpr double kGap = 4;
constexpr double kStageGap = 12;
constexpr double kTop = 58;
constexpr double kLetter = 6.4; // of the font, on average

struct Colours {
    const char *background;
    const char *text;
    const char *muted;
    const char *bar;
    const char *merge; // the frame of merged operators
};

constexpr Colours kLight{"#ffffff", "#1a2129", "#5b6875", "#5b54c0", "#8a4b00"};
constexpr Colours kDark{"#14181d", "#eef2f6", "#9aa7b4", "#9d97f2", "#f0b060"};

std::string number(double value)
{
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.1f", value);
    return digits.data();
}

std::string hex(int colour)
{
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "#%06x", static_cast<unsigned>(colour));
    return digits.data();
}

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

class Drawing {
public:
    Drawing(const Graph &graph, const NamedSchedule &named, bool dark)
        : m_graph(graph), m_schedule(named.schedule), m_colours(dark ? kDark : kLight), m_isDark(dark)
    {
        for (const Timing &timing : m_schedule.stageTimings)
            m_longestUs = std::max(m_longestUs, timing.latencyUs);
        text(16, 26, named.name + " of " + graph.name(), "font-size=\"16\" font-weight=\"600\"");
        text(16, 44, facts(), muted());
        for (std::size_t stage = 0; stage < m_schedule.stages.size(); ++stage)
            drawStage(stage);
    }

    [[nodiscard]] std::string svg() const
    {
        const std::string size = "width=\"" + number(kWidth) + "\" height=\"" + number(m_y) + "\"";
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " + number(kWidth) + ' ' +
               number(m_y) + "\" font-family=\"'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif\" " +
               "font-size=\"11\" fill=\"" + m_colours.text + "\">\n<rect " + size + " fill=\"" + m_colours.background +
               "\"/>\n" + m_shapes + "</svg>\n";
    }

private:
    [[nodiscard]] std::string muted() const { return std::string("fill=\"") + m_colours.muted + "\""; }

    [[nodiscard]] std::string facts() const
    {
        std::string text = std::to_string(m_schedule.stages.size()) + " stages, batch " +
                           std::to_string(m_schedule.batch) + ", " + m_schedule.precision;
        if (m_schedule.latencyUs())
            text += ", " + std::string(m_schedule.leavesOutWork() ? "at least " : "") +
                    plainLatency(*m_schedule.latencyUs()) + " on " + m_schedule.device + " (" +
                    latencyOrigin(m_schedule) + ")";
        if (std::ranges::count(m_schedule.stages, Strategy::Merge, &Stage::strategy) > 0)
            text += "; framed: merged into one bigger convolution";
        return text;
    }

    void text(double x, double y, const std::string &content, const std::string &style)
    {
        m_shapes += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + '>' +
                    escaped(shownText(content)) + "</text>\n";
    }

    void box(double x, double y, double width, double height, std::size_t stage, bool isMerged, const std::string &tip)
    {
        const int fill = m_isDark ? kStageDark[stage % kStageDark.size()] : kStageLight[stage % kStageLight.size()];
        m_shapes += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" +
                    number(height) + "\" rx=\"4\" fill=\"" + hex(fill) + "\"" +
                    (isMerged ? std::string(" stroke=\"") + m_colours.merge + "\" stroke-width=\"2\"" : std::string()) +
                    "><title>" + escaped(shownText(tip)) + "</title></rect>\n";
    }

    void drawOperator(OperatorId id, double x, double width, double y)
    {
        const Operator &op = m_graph.op(id);
        text(x + 8, y + 14, fitted(op.name, width - 16), "");
        text(x + 8, y + 27, fitted(displayType(op), width - 16), "font-size=\"9\" opacity=\"0.75\"");
    }

    void drawStage(std::size_t index)
    {
        const Stage &stage = m_schedule.stages[index];
        if (index == 0 || stage.block != m_schedule.stages[index - 1].block) {
            text(16, m_y + 12, "Block " + std::to_string(stage.block + 1), "font-weight=\"600\"");
            m_y += 22;
        }
        const bool isMerged = stage.strategy == Strategy::Merge;
        const double lane = (kLanesWidth - kGap * static_cast<double>(stage.groups.size() - 1)) /
                            static_cast<double>(stage.groups.size());
        std::size_t deepest = 1;
        for (const auto &group : stage.groups)
            deepest = std::max(deepest, group.size());
        const double height = static_cast<double>(deepest) * (kBoxHeight + kGap) - kGap;
        text(16, m_y + 15, std::to_string(index + 1), "font-weight=\"600\"");
        if (m_schedule.hasStageLatencies()) {
            const double us = m_schedule.stageTimings[index].latencyUs;
            text(52, m_y + 15, plainLatency(us), "");
            m_shapes += "<rect x=\"52\" y=\"" + number(m_y + 21) + "\" width=\"" +
                        number(m_longestUs > 0 ? 104 * us / m_longestUs : 0) + "\" height=\"4\" rx=\"2\" fill=\"" +
                        m_colours.bar + "\"/>\n";
        }
        if (isMerged)
            box(kLanesLeft, m_y, kLanesWidth, height, index, true, "merged: one bigger convolution, then a split");
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
    const Schedule &m_schedule;
    Colours m_colours;
    bool m_isDark;
    double m_longestUs = 0;
    double m_y = kTop;
    std::string m_shapes;
};

} // namespace

std::string scheduleSvg(const Graph &graph, const NamedSchedule &named, bool dark)
{
    return Drawing(graph, named, dark).svg();
}

} // namespace stagecraft
