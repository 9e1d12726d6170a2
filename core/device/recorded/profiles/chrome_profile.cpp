// The Chrome traces that this program exports (export/chrome_trace.cpp), back without loss.

#include "device/recorded/profiles/own_trace.h"
#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"
#include "device/recorded/profiles/trace_events.h"

#include "support/shown_text.h"

#include <fmt/format.h>

namespace stagecraft::profiles {
namespace {

ProfiledFact factOf(const EventValue &value)
{
    if (value.isNumber()) {
        if (const auto number = value.integer())
            return *number;
        if (const auto number = value.real())
            return *number;
    }
    return value.text;
}

std::vector<std::string> labelsOf(std::string_view text)
{
    constexpr std::string_view kBetween = "; ";
    std::vector<std::string> labels;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(kBetween), text.size());
        labels.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + kBetween.size(), text.size()));
    }
    return labels;
}

Result<void> addEvent(const TraceEvent &event, OwnTrace &trace)
{
    const auto process = event.members.integer("pid");
    if (!process)
        return refused(fmt::format("the event \"{}\" has no process", shownText(event.name())));
    const std::int64_t row = event.members.integer("tid").value_or(0);
    const std::string &phase = event.phase();
    if (phase == "M") {
        const std::string &name = event.name();
        if (name == "process_name")
            trace.nameProcess(*process, event.args.text("name"));
        else if (name == "process_labels")
            trace.labelProcess(*process, labelsOf(event.args.text("labels")));
        else if (name == "thread_name")
            trace.nameRow(*process, row, event.args.text("name"));
        return {};
    }
    TRY_AS(const std::int64_t start, startOf(event));
    if (phase == "X") {
        TRY_AS(const std::int64_t duration, durationOf(event));
        OwnSlice slice{event.name(), event.category(), start, start + duration, {}};
        for (std::size_t i = 0; i < event.args.size(); ++i)
            slice.facts.emplace_back(event.args.at(i).first, factOf(event.args.at(i).second));
        trace.add(*process, row, std::move(slice));
    } else if (phase == "C" && event.args.size() > 0) {
        const auto &[unit, value] = event.args.at(0);
        const auto number = value.real();
        if (!number)
            return refused(fmt::format("the counter \"{}\" has a value that is no number", shownText(event.name())));
        trace.count(*process, event.name(), unit, start, *number);
    }
    return {};
}

} // namespace

bool isOwnChromeTrace(std::string_view bytes)
{
    return bytes.starts_with(R"({"displayTimeUnit":"ns","traceEvents":[{"ph":"M","name":"process_name",)");
}

Result<Profile> readOwnChromeTrace(std::span<const ProfileFile> files, const std::stop_token &stop)
{
    OwnTrace trace;
    TRY(readTraceEvents(files.front().bytes, "traceEvents", stop,
                        [&](const TraceEvent &event) { return addEvent(event, trace); }));
    return std::move(trace).finish("stagecraft-chrome-trace");
}

} // namespace stagecraft::profiles
