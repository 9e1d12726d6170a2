#include "export/report_words.h"

#include "support/number_text.h"

namespace stagecraft {

std::string reportedLatency(const RatedResult &result)
{
    const auto latencyUs = result.latencyUs();
    if (!latencyUs)
        return "not measured";
    std::string text = (result.leavesOutWork() ? "at least " : "") + plainLatency(*latencyUs);
    if (result.latency && result.latency->halfWidthUs > 0)
        text += " +- " + plainLatency(result.latency->halfWidthUs);
    return text;
}

std::string reportedNote(const RatedResult &result)
{
    return result.note + (result.note.empty() || result.whyNot.empty() ? "" : "; ") + result.whyNot;
}

std::string whyNoTimeline(const RatedResult &result)
{
    if (result.timeline)
        return {};
    if (!result.schedule)
        return "There is no schedule: " + result.whyNot + ".";
    if (!result.whyNoTimeline.empty())
        return result.whyNoTimeline;
    return "None was made when it was exported: name its device with --device, or show it in a pane of the window.";
}

} // namespace stagecraft
