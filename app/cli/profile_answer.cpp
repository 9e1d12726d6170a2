#include "cli/profile_answer.h"

#include "cli/cost_text.h"
#include "cli/text_table.h"
#include "flow/profiled_run.h"
#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <unordered_map>

namespace stagecraft {
namespace {

std::optional<double> optionalUs(std::optional<std::int64_t> ns)
{
    return ns ? std::optional(profiledUs(*ns)) : std::nullopt;
}

std::string_view foundBy(const ProfiledRuns &runs)
{
    switch (runs.foundBy) {
    case ProfiledRuns::FoundBy::Marks: return "marks of the program";
    case ProfiledRuns::FoundBy::Sequence: return "a sequence that repeats itself";
    case ProfiledRuns::FoundBy::Nothing: return "nothing: taken as one run";
    }
    return {};
}

bool isMemoryOperation(const ProfiledKernel &kernel)
{
    return kernel.kind == ProfiledKind::Copy || kernel.kind == ProfiledKind::Fill;
}

// Why a number that the answer could have is null.
void addReasons(const ImportedProfile &imported, answers::ProfileAnswer &answer)
{
    const auto because = [&](const char *key, bool isMissing, const std::string &reason) {
        if (isMissing)
            answer.missing.try_emplace(key, reason);
    };
    const bool isEmpty = imported.times.times.kernels == 0;
    const std::string noStarts = isEmpty ? "there are no kernels"
                                 : imported.profile.isHostTimeOfDevice
                                     ? "times are those of calls on the host, not of kernels on the device"
                                     : "layers have times, but no start and end";
    because("busy_us", !answer.busyUs, noStarts);
    because("overlap_us", !answer.overlapUs, noStarts);
    because("gaps_us", !answer.gapsUs, noStarts);
    because("critical_path", !answer.path, noStarts + ", and too little is mapped to follow the model's edges");
    because("latency_us", !answer.latencyUs,
            isEmpty ? "there are no kernels"
                    : "the sum of layers is not the latency, and no file states it: the engine explorer's "
                      ".profile.metadata.json or trtexec --exportTimes does");
    because("latency_spread", !answer.spread, "there is no latency, or the files do not state its spread");
}

std::string optionalText(const std::optional<double> &us)
{
    return us ? plainLatency(*us) : "unknown";
}

// Names of compiled kernels may be a thousand letters.
std::string shortName(const std::string &name)
{
    constexpr std::size_t kMost = 60;
    std::string shown = shownText(name);
    if (shown.size() <= kMost)
        return shown;
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) // within a letter of UTF-8
        --end;
    return shown.substr(0, end) + "...";
}

std::string joinedNames(const std::vector<std::string> &names, std::size_t most)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + shortName(names[i]);
    return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

std::string shareText(double us, double sumUs)
{
    return sumUs > 0 ? percent(us / sumUs) : "";
}

void printOperators(const answers::ProfileAnswer &answer, std::size_t most)
{
    std::vector<const answers::OperatorInProfile *> longest;
    for (const auto &op : answer.operators)
        longest.push_back(&op);
    std::ranges::stable_sort(longest, std::greater<>(), [](const auto *op) { return op->timeUs; });
    TextTable table({"operator", "takes", "share", "mapped by", "kernels"});
    for (std::size_t i = 0; i < std::min(longest.size(), most); ++i) {
        const auto &op = *longest[i];
        table.add(shortName(op.name), plainLatency(op.timeUs), shareText(op.timeUs, answer.sumUs),
                  std::string(toString(op.by)), joinedNames(op.kernels, 2));
    }
    if (!longest.empty())
        std::cout << table << '\n';
    if (longest.size() > most)
        std::cout << "and " << longest.size() - most << " more operators; --operators lists all\n\n";
}

void printUnmapped(const answers::ProfileAnswer &answer, std::size_t most)
{
    if (answer.unmapped.empty())
        return;
    TextTable table({"mapped to nothing", "takes", "share", "times"});
    for (std::size_t i = 0; i < std::min(answer.unmapped.size(), most); ++i) {
        const UnmappedKernels &kernel = answer.unmapped[i];
        table.add(shortName(kernel.name), plainLatency(kernel.timeUs), shareText(kernel.timeUs, answer.sumUs),
                  kernel.count);
    }
    std::cout << table << '\n';
    if (answer.unmapped.size() > most)
        std::cout << "and " << answer.unmapped.size() - most << " more; --operators lists all\n\n";
}

// "2.124 ms of layers - 124 us profiler = 2 ms"
std::string differencesLine(const answers::ProfileAnswer &answer)
{
    std::string line = "sum " + plainLatency(answer.sumUs);
    for (const TimeDifference &difference : answer.differences)
        line += fmt::format(" {} {} {}", difference.us < 0 ? '-' : '+', plainLatency(std::abs(difference.us)),
                            toString(difference.cause));
    return line + " = latency " + optionalText(answer.latencyUs);
}

} // namespace

answers::ProfileAnswer profileAnswer(const Model &model, const ImportedProfile &imported)
{
    const Graph &graph = *model.graph;
    const Profile &profile = imported.profile;
    const ProfileTimes &times = imported.times;
    const auto known = [](const std::string &text) { return text.empty() ? std::nullopt : std::optional(text); };
    answers::ProfileAnswer answer{.model = model.name,
                                  .profileFormat = profile.format,
                                  .program = profile.program,
                                  .programVersion = known(profile.version),
                                  .device = known(profile.device),
                                  .provenance = profile.provenance,
                                  .files = profile.files,
                                  .latencyUs = times.latencyUs,
                                  .spread = times.spread,
                                  .sumUs = profiledUs(times.times.sumNs),
                                  .busyUs = optionalUs(times.times.busyNs),
                                  .overlapUs = optionalUs(times.times.overlapNs),
                                  .gapsUs = optionalUs(times.times.gapsNs),
                                  .memoryUs = profiledUs(times.times.memoryNs),
                                  .mappedUs = profiledUs(imported.mappedNs),
                                  .unmappedUs = profiledUs(imported.unmappedNs),
                                  .kernels = times.times.kernels,
                                  .iterations = times.runs.runs.size(),
                                  .iterationsFoundBy = std::string(foundBy(times.runs)),
                                  .kernelsLeftOut = times.runs.leftOut,
                                  .launchesWithoutKernel = profile.launchesWithoutKernel,
                                  .differences = times.differences,
                                  .unmapped = unmappedByName(imported),
                                  .notes = profile.notes,
                                  .modelNotes = model.report.notes,
                                  .missing = profile.missing};
    std::set<std::uint32_t> streams;
    for (const std::uint32_t place : times.runs.runs[times.typical]) {
        const ProfiledKernel &kernel = profile.kernels[place];
        if (kernel.stream != kNoPlace && !isMemoryOperation(kernel))
            streams.insert(kernel.stream);
    }
    if (!profile.streams.empty())
        answer.streams = streams.size();
    else
        answer.missing.try_emplace("streams", "there are no kernels");
    for (const ProfiledOperator &op : imported.operators) {
        auto &entry = answer.operators.emplace_back(
            answers::OperatorInProfile{graph.op(op.op).name, profiledUs(op.timeNs), op.by, {}, {}});
        for (const std::uint32_t kernel : op.kernels)
            entry.kernels.push_back(profile.kernels[kernel].name);
        for (const OperatorId other : op.with)
            entry.with.push_back(graph.op(other).name);
    }
    if (imported.path) {
        answer.path = answers::PathInProfile{imported.path->along, profiledUs(imported.path->lengthNs), {}};
        for (const OperatorId id : imported.path->operators)
            answer.path->names.push_back(graph.op(id).name);
        for (const std::uint32_t kernel : imported.path->kernels)
            answer.path->names.push_back(profile.kernels[kernel].name);
    }
    addReasons(imported, answer);
    return answer;
}

void printProfile(const answers::ProfileAnswer &answer, std::size_t most)
{
    printOperators(answer, most);
    printUnmapped(answer, most);
    std::cout << answer.model << ", recorded by " << answer.program
              << (answer.programVersion ? ' ' + shownText(*answer.programVersion) : "") << " on "
              << (answer.device ? shownText(*answer.device) : "an unknown device") << ": latency "
              << optionalText(answer.latencyUs) << " (" << toString(answer.provenance) << ")\n";
    if (answer.spread && answer.spread->runs != 1) {
        const LatencySpread &spread = *answer.spread;
        std::cout << "  runs " << plainLatency(spread.leastUs) << " to " << plainLatency(spread.mostUs) << ", mean "
                  << plainLatency(spread.meanUs);
        if (spread.stddevUs)
            std::cout << " +- " << plainLatency(*spread.stddevUs);
        std::cout << '\n';
    }
    std::cout << "  iterations " << answer.iterations << " (found by " << answer.iterationsFoundBy << ")\n"
              << "  kernels " << answer.kernels << ", sum " << plainLatency(answer.sumUs) << ", busy "
              << optionalText(answer.busyUs) << ", overlap " << optionalText(answer.overlapUs) << ", gaps "
              << optionalText(answer.gapsUs) << ", copies and fills " << plainLatency(answer.memoryUs) << '\n'
              << "  " << differencesLine(answer) << '\n'
              << "  mapped " << plainLatency(answer.mappedUs) << ' ' << shareText(answer.mappedUs, answer.sumUs)
              << ", mapped to nothing " << plainLatency(answer.unmappedUs) << ' '
              << shareText(answer.unmappedUs, answer.sumUs) << '\n';
    if (answer.path)
        std::cout << "  critical path " << plainLatency(answer.path->lengthUs) << " along "
                  << toString(answer.path->along) << ": " << joinedNames(answer.path->names, 4) << '\n';
    if (answer.launchesWithoutKernel > 0)
        std::cout << "  launches without a kernel in the trace: " << answer.launchesWithoutKernel << '\n';
    for (const std::string &note : answer.notes)
        std::cout << "note: " << shownText(note) << '\n';
    for (const auto &[key, reason] : answer.missing)
        std::cout << "missing: " << key << ": " << reason << '\n';
}

} // namespace stagecraft
