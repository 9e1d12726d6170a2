#include "cli/progress_line.h"

#include "cli/cost_text.h"
#include "cli/terminal_width.h"
#include "cli/text_table.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace stagecraft {
namespace {

using Clock = std::chrono::steady_clock;

struct Line {
    bool isShown = false;
    Clock::time_point drawn;
    std::optional<Clock::time_point> begun; // when something was first shown
    std::string title;                      // of the latest work
    int works = 0;                          // number of titles so far
    std::int64_t measurementsBefore = 0;    // of earlier searches
    std::int64_t measurements = 0;
};

Line &theLine()
{
    static Line line;
    return line;
}

std::optional<int> columns()
{
    const char *terminal = std::getenv("TERM");
    if (terminal && std::string_view(terminal) == "dumb") // it cannot erase a line
        return std::nullopt;
    return terminalColumns(STDERR_FILENO);
}

// As much of the text as fits into that many columns, in whole UTF-8 characters.
std::string cut(const std::string &text, std::size_t columns)
{
    std::size_t shown = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
        if (begins && ++shown > columns)
            return text.substr(0, i);
    }
    return text;
}

void draw(const std::string &text)
{
    std::cerr << "\r\033[K" << text << std::flush;
    theLine().isShown = true;
}

// "3 of 4 members at work, 61 a second"
std::string membersText(const DeviceMembers &members, const SearchProgress &progress)
{
    const auto counts = members.counts();
    const double perSecond = static_cast<double>(progress.stageMeasurements) / std::max(progress.elapsedSeconds, 1e-3);
    return fmt::format("{} of {} members at work, {:.0f} a second",
                       std::ranges::count_if(counts, &MemberCounts::isAtWork), counts.size(), perSecond);
}

double secondsSince(Clock::time_point begun)
{
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

} // namespace

std::string secondsText(double seconds)
{
    const auto whole = static_cast<long>(seconds);
    return whole < 60 ? fmt::format("{:.1f} s", seconds) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string fitted(const std::vector<std::string> &parts, std::size_t columns)
{
    std::string text;
    for (const std::string &part : parts) {
        std::string longer = text.empty() ? part : fmt::format("{}, {}", text, part);
        if (cut(longer, columns) != longer) {
            if (text.empty())
                text = cut(part, columns);
            continue; // a later one may be shorter
        }
        text = std::move(longer);
    }
    return text;
}

void showProgress(const std::vector<std::string> &parts)
{
    constexpr auto kPause = std::chrono::milliseconds(100);
    Line &line = theLine();
    const auto width = columns();
    if (!width || parts.empty())
        return;
    if (!line.begun)
        line.begun = Clock::now();
    if (line.title != parts.front()) {
        line.title = parts.front();
        ++line.works;
        line.measurementsBefore += line.measurements;
        line.measurements = 0;
    } else if (line.isShown && Clock::now() - line.drawn < kPause) {
        return;
    }
    line.drawn = Clock::now();
    draw(fitted(parts, static_cast<std::size_t>(*width - 1))); // the last column makes some terminals wrap
}

void showRounds(const RoundsProgress &progress)
{
    showProgress({"timing in rounds", fmt::format("{} of {}", progress.done + 1, progress.rounds)});
}

SearchProgressCallback terminalProgress(const std::string &title, Provenance provenance, const CostBasis &basis,
                                        const DeviceMembers *members)
{
    if (!columns())
        return {};
    return [title, provenance, basis, members](const SearchProgress &progress) {
        std::vector<std::string> parts{title, secondsText(progress.elapsedSeconds)};
        if (progress.bestUs > 0) // nothing is known before the first schedule
            parts.push_back(fmt::format("best {} ({})", plainLatency(progress.bestUs, basis), toString(provenance)));
        if (progress.bestUs > 0 && progress.lowerBoundUs > 0)
            parts.push_back("gap " + percent(progress.bestUs / progress.lowerBoundUs - 1));
        parts.push_back(fmt::format("block {} of {}", progress.block + 1, progress.blocks));
        parts.push_back(counted(progress.stageMeasurements, "stage measurement"));
        if (members)
            parts.push_back(membersText(*members, progress));
        parts.push_back(counted(progress.statesDone, "state"));
        showProgress(parts);
        theLine().measurements = progress.stageMeasurements;
    };
}

void clearProgress()
{
    if (theLine().isShown)
        std::cerr << "\r\033[K" << std::flush;
    theLine().isShown = false;
}

void endProgress()
{
    Line &line = theLine();
    const auto width = columns();
    clearProgress();
    if (line.begun && width) {
        const std::int64_t measurements = line.measurementsBefore + line.measurements;
        std::vector<std::string> parts{line.works == 1 ? line.title : "done", secondsText(secondsSince(*line.begun))};
        if (measurements > 0)
            parts.push_back(counted(measurements, "stage measurement"));
        std::cerr << fitted(parts, static_cast<std::size_t>(*width - 1)) << '\n';
    }
    line = {};
}

} // namespace stagecraft
