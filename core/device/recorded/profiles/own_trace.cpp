#include "device/recorded/profiles/own_trace.h"

#include "support/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace stagecraft::profiles {
namespace {

// An operator that ran on several threads of a CPU has a slice on each of their rows, one below the other.
bool isOn(const std::multimap<std::int64_t, const OwnSlice *> &rowAbove, const OwnSlice &slice)
{
    const auto [first, last] = rowAbove.equal_range(slice.startNs);
    return std::any_of(first, last, [&](const auto &entry) {
        const OwnSlice &other = *entry.second;
        return other.endNs == slice.endNs && other.name == slice.name && other.facts == slice.facts;
    });
}

// "sim:v100, simulated". What was measured elsewhere is recorded here.
void readDevice(const std::string &label, Profile &profile)
{
    const std::size_t comma = label.rfind(", ");
    profile.device = label.substr(0, comma);
    if (comma == std::string::npos)
        return;
    const auto stated = provenanceFromString(label.substr(comma + 2));
    if (stated && *stated != Provenance::Measured)
        profile.provenance = *stated;
}

// Stages also begin and end where no kernel runs: with a launch, with a barrier.
void takeRunFromStages(Profile &profile)
{
    constexpr double kNsPerUs = 1000;
    if (profile.stages.empty() || profile.kernels.empty())
        return;
    const std::int64_t start = std::ranges::min(profile.stages, {}, &ProfiledStage::startNs).startNs;
    const std::int64_t end = std::ranges::max(profile.stages, {}, &ProfiledStage::endNs).endNs;
    const bool areWithin = std::ranges::all_of(profile.kernels, [&](const ProfiledKernel &kernel) {
        return *kernel.startNs >= start && *kernel.endNs() <= end;
    });
    if (!areWithin)
        return;
    profile.iterations = {{profile.title, start, end}};
    for (ProfiledKernel &kernel : profile.kernels)
        kernel.iteration = 0;
    const double us = static_cast<double>(end - start) / kNsPerUs;
    profile.stated = LatencyInFile{.source = "stages", .medianUs = us, .runsUs = {us}};
}

} // namespace

void OwnTrace::count(std::int64_t process, const std::string &name, const std::string &unit, std::int64_t ns,
                     double value)
{
    auto &counters = m_results[process].counters;
    auto found = std::ranges::find(counters, name, &ProfiledCounter::name);
    if (found == counters.end())
        found = counters.insert(counters.end(), {name, unit, {}, {}});
    found->timesNs.push_back(ns);
    found->values.push_back(value);
}

void OwnTrace::addKernels(const Row &row, const Row *above, Profile &profile)
{
    std::multimap<std::int64_t, const OwnSlice *> slicesAbove;
    if (above) {
        for (const OwnSlice &slice : above->slices)
            slicesAbove.emplace(slice.startNs, &slice);
    }
    const auto stream = static_cast<std::uint32_t>(profile.streams.size());
    profile.streams.push_back({row.name});
    for (const OwnSlice &slice : row.slices) {
        if (isOn(slicesAbove, slice))
            continue;
        ProfiledKernel kernel{.name = slice.name};
        kernel.kind = row.isThread() ? ProfiledKind::Node : ProfiledKind::Kernel;
        kernel.startNs = slice.startNs;
        kernel.durationNs = slice.endNs - slice.startNs;
        kernel.stream = stream;
        kernel.facts = slice.facts;
        profile.kernels.push_back(std::move(kernel));
    }
}

Result<Profile> OwnTrace::finish(std::string format) &&
{
    const auto hasRows = [](const auto &result) { return !result.second.rows.empty(); };
    const auto first = std::ranges::find_if(m_results, hasRows);
    if (first == m_results.end())
        return refused("it has no rows with stages and kernels");
    TracedProcess &traced = first->second;
    Profile profile{.format = std::move(format)};
    profile.title = traced.name;
    profile.program = "Stagecraft";
    profile.missing["program_version"] = "traces of this program do not name it";
    if (!traced.labels.empty())
        readDevice(traced.labels.front(), profile);
    else
        profile.missing["device"] = "the trace has no label of its process";
    profile.notes = std::move(traced.labels);
    if (m_results.size() > 1)
        profile.notes.push_back(fmt::format("the trace holds {} results; this is the first", m_results.size()));
    const Row *above = nullptr;
    for (auto &[id, row] : traced.rows) {
        if (row.name == "stages") {
            for (OwnSlice &slice : row.slices)
                profile.stages.push_back({std::move(slice.name), slice.startNs, slice.endNs, std::move(slice.facts)});
        } else {
            addKernels(row, row.isThread() ? above : nullptr, profile);
            above = &row;
        }
    }
    profile.counters = std::move(traced.counters);
    takeRunFromStages(profile);
    return profile;
}

} // namespace stagecraft::profiles
