#include "export/time_parts_page.h"

#include "export/view_tables.h"
#include "support/markup_text.h"
#include "support/number_text.h"
#include "support/shown_text.h"
#include "timing/timeline/time_part_colours.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <vector>

namespace stagecraft {
namespace {

constexpr int kWholeFill = 0x5b6875; // of the latencies that steps lead from and to

struct Explained {
    std::string name; // in HTML
    ScheduleTimeParts parts;
};

std::string share(double of, double all)
{
    return fixedText(all > 0 ? std::clamp(of / all, 0.0, 1.0) * 100 : 0, 2);
}

std::string signedTime(double us)
{
    return (us < 0 ? "-" : "+") + plainLatency(std::abs(us));
}

std::vector<TimePart> partsOf(const std::vector<Explained> &results)
{
    std::vector<TimePart> parts;
    for (std::size_t i = 0; i < kTimeParts; ++i) {
        const auto part = static_cast<TimePart>(i);
        if (std::ranges::any_of(results, [&](const Explained &each) { return each.parts.has(part); }))
            parts.push_back(part);
    }
    return parts;
}

std::string legend(const std::vector<Explained> &results)
{
    std::string text = "<p>";
    for (const TimePart part : partsOf(results))
        text += fmt::format("<span class=\"swatch\" style=\"background:#{:06x}\"></span>{}", timePartFill(part),
                            timePartText(part, results.front().parts.sources));
    return text + "</p>\n";
}

// All on one scale.
std::string bars(const std::vector<Explained> &results)
{
    double longest = 0;
    for (const Explained &each : results)
        longest = std::max(longest, std::max(each.parts.latencyUs, each.parts.timelineUs));
    std::string text;
    for (const Explained &each : results) {
        text += fmt::format("<div>{}: {}, {}</div>\n<div class=\"parts\">", each.name,
                            plainLatency(each.parts.latencyUs), toString(each.parts.provenance));
        for (const TimePart part : partsOf(results)) {
            if (const double us = each.parts.whole.of(part); us > 0)
                text += fmt::format("<span style=\"width:{}%;background:#{:06x}\" title=\"{} {}\"></span>",
                                    share(us, longest), timePartFill(part), timePartText(part, each.parts.sources),
                                    plainLatency(us));
        }
        text += "</div>\n";
    }
    return text;
}

std::string table(const std::vector<Explained> &results)
{
    std::string text = "<div class=\"across\"><table>\n<tr><th>part</th>";
    for (const Explained &each : results)
        text += fmt::format("<th class=\"number\">{}</th>{}", each.name,
                            &each == &results.front() ? "" : "<th class=\"number\">change</th>");
    text += "</tr>\n";
    using Us = std::function<std::optional<double>(const ScheduleTimeParts &)>;
    const auto addRow = [&](std::string_view title, const Us &usOf) {
        text += fmt::format("<tr><td>{}</td>", title);
        const auto first = usOf(results.front().parts);
        for (const Explained &each : results) {
            const auto us = usOf(each.parts);
            text += fmt::format("<td class=\"number\">{}</td>",
                                us ? (*us < 0 ? signedTime(*us) : plainLatency(*us)) : "unknown");
            if (&each != &results.front())
                text += fmt::format("<td class=\"number\">{}</td>", us && first ? signedTime(*us - *first) : "unknown");
        }
        text += "</tr>\n";
    };
    for (const TimePart part : partsOf(results))
        addRow(timePartText(part, results.front().parts.sources),
               [part](const ScheduleTimeParts &parts) { return knownUs(parts.whole, parts.sources, part); });
    addRow("latency", [](const ScheduleTimeParts &parts) { return parts.latencyUs; });
    return text + "</table></div>\n";
}

std::string steps(const Explained &from, const Explained &to)
{
    const std::vector<TimeStep> all = timeSteps(from.parts.whole, to.parts.whole);
    double longest = std::max(from.parts.latencyUs, to.parts.latencyUs);
    for (const TimeStep &step : all)
        longest = std::max(longest, step.toUs);
    std::string text = fmt::format("<details><summary>From {} to {}: {}</summary>\n<table class=\"steps\">\n",
                                   from.name, to.name, signedTime(to.parts.latencyUs - from.parts.latencyUs));
    const auto addRow = [&](std::string_view title, double fromUs, double toUs, int fill, const std::string &value) {
        text += fmt::format("<tr><td>{}</td><td class=\"wide\"><div class=\"step\" style=\"margin-left:{}%;width:{}%;"
                            "background:#{:06x}\"></div></td><td class=\"number\">{}</td></tr>\n",
                            title, share(std::min(fromUs, toUs), longest), share(std::abs(toUs - fromUs), longest),
                            fill, value);
    };
    addRow(from.name, 0, from.parts.latencyUs, kWholeFill, plainLatency(from.parts.latencyUs));
    for (const TimeStep &step : all)
        addRow(timePartText(step.part, to.parts.sources), step.fromUs, step.toUs, timePartFill(step.part),
               signedTime(step.changeUs()));
    addRow(to.name, 0, to.parts.latencyUs, kWholeFill, plainLatency(to.parts.latencyUs));
    return text + "</table>\n</details>\n";
}

} // namespace

std::string timePartsHtml(std::span<const RatedResult> results)
{
    std::vector<Explained> explained;
    for (const RatedResult &result : results) {
        if (auto parts = timePartsOf(result))
            explained.push_back({escaped(shownText(result.name)), std::move(*parts)});
    }
    if (explained.empty())
        return {};
    std::string text = "<h2>Where the time goes</h2>\n" + legend(explained) + bars(explained) + table(explained);
    for (std::size_t i = 1; i < explained.size(); ++i)
        text += steps(explained.front(), explained[i]);
    return text;
}

} // namespace stagecraft
