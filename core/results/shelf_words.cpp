#include "results/shelf_words.h"

#include "schedule/streams/streams_text.h"
#include "support/closest_name.h"
#include "timing/simulator_version.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace stagecraft {
namespace {

std::string fileName(const std::string &path)
{
    return path.substr(path.rfind('/') + 1);
}

std::string boundText(const char *name, std::optional<int> bound)
{
    return bound ? fmt::format("{} {}", name, *bound) : fmt::format("any {}", name);
}

} // namespace

std::string pruningText(const SearchRecord &record)
{
    const bool isSearched = record.strategy.starts_with("ios-");
    if (!isSearched)
        return {};
    std::vector<std::string> parts{boundText("r", record.r), boundText("s", record.s)};
    if (record.singleSource)
        parts.emplace_back("single source");
    if (record.launchOrders)
        parts.emplace_back("launch orders");
    return listed(parts);
}

std::string madeByText(const Shelf &shelf, const ScheduleResult &result)
{
    switch (result.origin) {
    case Origin::Baseline:
        return result.asked.strategy == "sequential" ? "one operator a stage" : "every ready operator, repeatedly";
    case Origin::Searched: {
        if (result.schedule && result.schedule->streams)
            return synchronisationText(synchronisationOf(*result.schedule));
        const std::int64_t kept = result.asked.pinnedStages;
        return pruningText(result.record()) +
               (kept == 0 ? "" : fmt::format(", {} {} kept", kept, kept == 1 ? "stage" : "stages"));
    }
    case Origin::Edited: {
        const ScheduleResult *from = shelf.find(result.from);
        return from ? "edited from " + from->shownName() : "edited";
    }
    case Origin::OpenedFile: {
        const std::string pruning = pruningText(result.record());
        return "opened: " + fileName(result.source) + (pruning.empty() ? "" : ", " + pruning);
    }
    case Origin::OtherDevice: return "searched for " + result.source;
    case Origin::Published: return result.source.empty() ? "published" : "published for " + result.source;
    case Origin::Layouts: {
        if (!result.source.empty())
            return "layouts chosen: " + result.source;
        const ScheduleResult *from = shelf.find(result.from);
        return from ? "layouts for " + from->shownName() : "layouts";
    }
    case Origin::Profiled: {
        const auto &profile = result.schedule ? result.schedule->measured.profile : std::nullopt;
        const std::string program = profile ? " by " + profile->program : std::string();
        return "recorded" + program + ": " + fileName(result.source);
    }
    case Origin::Stated: return result.source.empty() ? "typed" : "from " + fileName(result.source);
    }
    return {};
}

std::string readingText(const ModelReference &model)
{
    std::string text = toString(model.reading);
    if (!model.isReadOtherwise)
        return text;
    return (text.empty() ? "" : text + ", ") + "otherwise by this version";
}

std::string whyNotFitting(const RunContext &result, const RunContext &chosen)
{
    if (result.model.name != chosen.model.name)
        return "another model";
    if (result.model != chosen.model)
        return "another version of the model";
    std::vector<std::string> parts;
    if (result.device != chosen.device)
        parts.push_back(fmt::format("on {}, not {}", result.device, chosen.device));
    else if (result.deviceVersion != chosen.deviceVersion)
        parts.emplace_back(isOfOlderSimulator(result) && !isOfOlderSimulator(chosen) ? "simulated by an older simulator"
                                                                                     : "the device has changed since");
    if (result.batch != chosen.batch)
        parts.push_back(fmt::format("batch {}, not {}", result.batch, chosen.batch));
    if (result.precision != chosen.precision && result.device == chosen.device)
        parts.push_back(fmt::format("{}, not {}", result.precision, chosen.precision));
    return listed(parts);
}

std::string equalText(const Shelf &shelf, ResultId id)
{
    const std::vector<ResultId> equal = shelf.equalTo(id);
    if (equal.empty())
        return {};
    const ScheduleResult &first = *shelf.find(equal.front());
    std::string text = "= " + first.shownName();
    const auto isCalledTheSame = [&](const ScheduleResult &other) {
        return other.settings == first.settings && other.shownName() == first.shownName();
    };
    if (std::ranges::count_if(shelf.results(), isCalledTheSame) > 1)
        text += " (" + madeByText(shelf, first) + ")";
    if (equal.size() > 1)
        text += fmt::format(" and {} more", equal.size() - 1);
    return text;
}

Proof proofOf(const ScheduleResult &result)
{
    switch (result.record().termination) {
    case Termination::None: return Proof::None;
    case Termination::Optimal:
    case Termination::WithinEpsilon:
    case Termination::UnderAssumption: return Proof::Proved;
    case Termination::BoundsBroken:
    case Termination::InPart:
    case Termination::Budget:
    case Termination::Cancelled:
    case Termination::BaselineKept: return Proof::Gap;
    }
    return Proof::None;
}

std::string_view toString(MeasuredHow how)
{
    switch (how) {
    case MeasuredHow::SumOfStages: return "sum of stages";
    case MeasuredHow::Alone: return "timed alone";
    case MeasuredHow::InRounds: return "timed in rounds";
    }
    return "";
}

} // namespace stagecraft
