#include "device/recorded/profiles/profile_times.h"

#include "timing/statistics/means.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kNsPerUs = 1000;

bool isMemory(const ProfiledKernel &kernel)
{
    return kernel.kind == ProfiledKind::Copy || kernel.kind == ProfiledKind::Fill;
}

double us(std::int64_t ns)
{
    return static_cast<double>(ns) / kNsPerUs;
}

// Kernels are the same in two runs if all of this is.
std::string identityOf(const Profile &profile, const ProfiledKernel &kernel)
{
    const std::string host =
        kernel.hostOperator == kNoPlace ? std::string() : profile.hostOperators[kernel.hostOperator].name;
    return fmt::format("{}\n{}\n{}\n{}\n{}", kernel.name, kernel.stream, kernel.type, host,
                       fmt::join(kernel.grid, "x"));
}

struct Repetition {
    std::size_t period = 0; // 0: nothing repeats
    std::size_t length = 0; // of the end of the sequence that consists of it
};

// The longest end of the sequence that is one part over and over, at least twice. A recording that begins or ends in
// the middle of a part repeats it, too. From the prefix function of Knuth, Morris and Pratt over the sequence
// backwards.
Repetition repetitionOf(std::vector<std::uint32_t> sequence, std::size_t leastPeriod)
{
    std::ranges::reverse(sequence);
    Repetition longest;
    std::vector<std::size_t> border(sequence.size() + 1, 0);
    for (std::size_t length = 1; length < sequence.size(); ++length) {
        std::size_t shorter = border[length];
        while (shorter > 0 && sequence[shorter] != sequence[length])
            shorter = border[shorter];
        border[length + 1] = sequence[shorter] == sequence[length] ? shorter + 1 : 0;
        const std::size_t period = length + 1 - border[length + 1];
        if (period >= leastPeriod && 2 * period <= length + 1)
            longest = {period, length + 1};
    }
    return longest;
}

// Where in the part that repeats a run begins: behind the longest pause.
std::size_t beginOf(const Profile &profile, const KernelPlaces &places, const Repetition &repetition)
{
    const std::size_t first = places.size() - repetition.length;
    if (repetition.length % repetition.period == 0)
        return first;
    std::vector<std::int64_t> pauses(repetition.period, 0);
    for (std::size_t i = std::max<std::size_t>(first, 1); i < places.size(); ++i) {
        const ProfiledKernel &before = profile.kernels[places[i - 1]];
        const ProfiledKernel &kernel = profile.kernels[places[i]];
        if (kernel.startNs && before.startNs)
            pauses[(i - first) % repetition.period] += std::max<std::int64_t>(*kernel.startNs - *before.endNs(), 0);
    }
    return first + static_cast<std::size_t>(std::ranges::max_element(pauses) - pauses.begin());
}

ProfiledRuns runsByMarks(const Profile &profile)
{
    ProfiledRuns found{ProfiledRuns::FoundBy::Marks, {}, {}, 0};
    std::vector<KernelPlaces> byIteration(profile.iterations.size());
    for (std::uint32_t i = 0; i < profile.kernels.size(); ++i) {
        const std::uint32_t iteration = profile.kernels[i].iteration;
        if (iteration < byIteration.size())
            byIteration[iteration].push_back(i);
        else
            ++found.leftOut;
    }
    for (std::uint32_t i = 0; i < byIteration.size(); ++i) {
        if (byIteration[i].empty())
            continue;
        found.runs.push_back(std::move(byIteration[i]));
        found.iterations.push_back(i);
    }
    return found;
}

ProfiledRuns runsBySequence(const Profile &profile, std::size_t leastKernels)
{
    KernelPlaces places;
    std::vector<std::uint32_t> sequence;
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < profile.kernels.size(); ++i) {
        if (isMemory(profile.kernels[i]))
            continue;
        places.push_back(i);
        const auto next = static_cast<std::uint32_t>(numbers.size());
        sequence.push_back(numbers.try_emplace(identityOf(profile, profile.kernels[i]), next).first->second);
    }
    KernelPlaces all(profile.kernels.size());
    std::iota(all.begin(), all.end(), 0);
    ProfiledRuns found;
    const Repetition repetition = repetitionOf(std::move(sequence), std::max<std::size_t>(leastKernels, 2));
    if (repetition.period == 0) {
        found.runs.push_back(std::move(all));
        return found;
    }
    found.foundBy = ProfiledRuns::FoundBy::Sequence;
    std::size_t begin = beginOf(profile, places, repetition);
    found.leftOut = places.size();
    for (; begin + repetition.period <= places.size(); begin += repetition.period) {
        const auto from = places.begin() + static_cast<std::ptrdiff_t>(begin);
        found.runs.emplace_back(from, from + static_cast<std::ptrdiff_t>(repetition.period));
        found.leftOut -= repetition.period;
    }
    return found;
}

// Deps by events: for each kernel, those of other streams that its own waited for.
using Waited = std::unordered_map<std::uint32_t, KernelPlaces>;

Waited waitedFor(const Profile &profile, std::span<const std::uint32_t> kernels)
{
    std::unordered_map<std::uint32_t, std::vector<std::pair<std::int64_t, std::uint32_t>>> launches; // by stream
    for (const std::uint32_t place : kernels) {
        const ProfiledKernel &kernel = profile.kernels[place];
        if (kernel.launchedNs)
            launches[kernel.stream].emplace_back(*kernel.launchedNs, place);
    }
    for (auto &[stream, list] : launches)
        std::ranges::sort(list);
    Waited waited;
    for (const ProfiledWait &wait : profile.waits) {
        const auto &own = launches[wait.stream];
        const auto &others = launches[wait.waitsFor];
        const auto first = std::ranges::lower_bound(own, std::pair(wait.waitedNs, 0U));
        const auto behind = std::ranges::upper_bound(others, std::pair(wait.recordedNs, kNoPlace));
        if (first != own.end() && behind != others.begin())
            waited[first->second].push_back(std::prev(behind)->second);
    }
    return waited;
}

} // namespace

ProfiledRuns runsOf(const Profile &profile, std::size_t leastKernels)
{
    ProfiledRuns found = runsByMarks(profile);
    return found.runs.empty() ? runsBySequence(profile, leastKernels) : found;
}

RunTimes timesOf(const Profile &profile, std::span<const std::uint32_t> places)
{
    RunTimes times;
    std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    bool haveStarts = !profile.isHostTimeOfDevice;
    for (const std::uint32_t place : places) {
        const ProfiledKernel &kernel = profile.kernels[place];
        if (isMemory(kernel)) {
            times.memoryNs += kernel.durationNs;
            continue;
        }
        ++times.kernels;
        times.sumNs += kernel.durationNs;
        haveStarts = haveStarts && kernel.startNs.has_value();
        if (haveStarts)
            spans.emplace_back(*kernel.startNs, *kernel.endNs());
    }
    if (!haveStarts || spans.empty())
        return times;
    std::ranges::sort(spans);
    std::int64_t busy = 0;
    std::int64_t end = spans.front().first;
    for (const auto &[from, to] : spans) {
        busy += std::max<std::int64_t>(to - std::max(from, end), 0);
        end = std::max(end, to);
    }
    times.busyNs = busy;
    times.overlapNs = times.sumNs - busy;
    times.spanNs = end - spans.front().first;
    times.gapsNs = *times.spanNs - busy;
    return times;
}

KernelChain longestChain(const Profile &profile, std::span<const std::uint32_t> places)
{
    KernelPlaces kernels;
    for (const std::uint32_t place : places) {
        if (!profile.kernels[place].startNs || profile.isHostTimeOfDevice)
            return {};
        if (!isMemory(profile.kernels[place]))
            kernels.push_back(place);
    }
    std::ranges::stable_sort(kernels, {}, [&](std::uint32_t place) { return profile.kernels[place].startNs; });
    const Waited waited = waitedFor(profile, kernels);

    struct Link {
        std::int64_t lengthNs = 0;
        std::uint32_t before = kNoPlace;
    };
    struct Stream {
        using Ending = std::pair<std::int64_t, std::uint32_t>; // when, the kernel
        std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
        std::uint32_t longest = kNoPlace; // of those that have ended
    };
    std::unordered_map<std::uint32_t, Link> links;
    std::unordered_map<std::uint32_t, Stream> streams;
    const auto lengthOf = [&](std::uint32_t place) { return place == kNoPlace ? 0 : links.at(place).lengthNs; };
    std::uint32_t last = kNoPlace;
    for (const std::uint32_t place : kernels) {
        const ProfiledKernel &kernel = profile.kernels[place];
        Stream &stream = streams[kernel.stream];
        for (; !stream.running.empty() && stream.running.top().first <= *kernel.startNs; stream.running.pop()) {
            const std::uint32_t ended = stream.running.top().second;
            if (stream.longest == kNoPlace || lengthOf(ended) >= lengthOf(stream.longest))
                stream.longest = ended;
        }
        std::uint32_t before = stream.longest;
        if (const auto found = waited.find(place); found != waited.end()) {
            for (const std::uint32_t other : found->second) {
                if (links.contains(other) && profile.kernels[other].endNs() <= kernel.startNs &&
                    lengthOf(other) > lengthOf(before))
                    before = other;
            }
        }
        links[place] = {lengthOf(before) + kernel.durationNs, before};
        stream.running.emplace(*kernel.endNs(), place);
        if (last == kNoPlace || lengthOf(place) > lengthOf(last))
            last = place;
    }
    KernelChain chain{lengthOf(last), {}, !waited.empty()};
    for (std::uint32_t place = last; place != kNoPlace; place = links.at(place).before)
        chain.kernels.push_back(place);
    std::ranges::reverse(chain.kernels);
    return chain;
}

std::string_view toString(TimeCause cause)
{
    switch (cause) {
    case TimeCause::Overlap: return "overlap";
    case TimeCause::Gaps: return "gaps";
    case TimeCause::Host: return "host";
    case TimeCause::Profiler: return "profiler";
    }
    return {};
}

namespace {

LatencySpread spreadOf(const std::vector<double> &runsUs)
{
    const auto [least, most] = std::ranges::minmax(runsUs);
    return {least, most, meanOf(runsUs), runsUs.size() > 1 ? std::optional(deviationOf(runsUs)) : std::nullopt,
            runsUs.size()};
}

// The latencies of the runs; empty where only the file could state them, and does not.
std::vector<double> latenciesOf(const Profile &profile, const ProfiledRuns &runs)
{
    const bool isStated = profile.stated && profile.stated->runsUs.size() == profile.iterations.size();
    std::vector<double> latenciesUs;
    for (std::size_t i = 0; i < runs.runs.size(); ++i) {
        if (isStated && i < runs.iterations.size()) {
            latenciesUs.push_back(profile.stated->runsUs[runs.iterations[i]]);
        } else if (const auto span = timesOf(profile, runs.runs[i]).spanNs) {
            latenciesUs.push_back(us(*span));
        }
    }
    return latenciesUs.size() == runs.runs.size() ? latenciesUs : std::vector<double>();
}

void explain(const Profile &profile, ProfileTimes &times)
{
    const RunTimes &run = times.times;
    if (run.overlapNs && *run.overlapNs != 0)
        times.differences.push_back({TimeCause::Overlap, -us(*run.overlapNs)});
    if (run.gapsNs && *run.gapsNs != 0)
        times.differences.push_back({TimeCause::Gaps, us(*run.gapsNs)});
    if (!times.latencyUs)
        return;
    const bool areLayers = !profile.kernels.empty() && profile.kernels.front().kind == ProfiledKind::Layer;
    const double rest = *times.latencyUs - us(run.spanNs.value_or(run.sumNs));
    if (rest != 0)
        times.differences.push_back({areLayers ? TimeCause::Profiler : TimeCause::Host, rest});
}

} // namespace

ProfileTimes profileTimes(const Profile &profile, std::size_t leastKernels)
{
    ProfileTimes times{.runs = runsOf(profile, leastKernels)};
    std::vector<double> latenciesUs = latenciesOf(profile, times.runs);
    if (!latenciesUs.empty()) {
        std::vector<std::size_t> order(latenciesUs.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::size_t run) { return latenciesUs[run]; });
        times.typical = order[(order.size() - 1) / 2];
        times.latencyUs = latenciesUs[times.typical];
        times.spread = spreadOf(latenciesUs);
        times.runsUs = std::move(latenciesUs);
    } else if (profile.stated) {
        const LatencyInFile &stated = *profile.stated;
        times.latencyUs = stated.medianUs;
        times.runsUs = stated.runsUs;
        if (!stated.runsUs.empty())
            times.spread = spreadOf(stated.runsUs);
        else if (stated.minUs && stated.maxUs && stated.meanUs)
            times.spread = LatencySpread{*stated.minUs, *stated.maxUs, *stated.meanUs, {}, 0};
    }
    times.times = timesOf(profile, times.runs.runs[times.typical]);
    explain(profile, times);
    return times;
}

} // namespace stagecraft
