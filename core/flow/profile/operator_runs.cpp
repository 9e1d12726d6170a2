#include "flow/profile/operator_runs.h"

#include "timing/statistics/means.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace stagecraft {
namespace {

// Empty: the file has only the name of the layer.
std::string kernelName(const ProfiledKernel &kernel)
{
    switch (kernel.kind) {
    case ProfiledKind::Kernel: return kernel.name;
    case ProfiledKind::Node: return kernel.type.empty() ? kernel.name : kernel.type;
    case ProfiledKind::Layer: {
        const auto tactic = std::ranges::find(kernel.facts, "tactic", &std::pair<std::string, ProfiledFact>::first);
        return tactic == kernel.facts.end() ? std::string() : std::get<std::string>(tactic->second);
    }
    case ProfiledKind::Copy:
    case ProfiledKind::Fill: break;
    }
    return {};
}

void addKernel(const ProfiledKernel &kernel, const NamedOperators &mapping, OperatorId id, OperatorRuns &runs)
{
    OperatorRun &run = runs.operators[id.index()];
    run.isThere = true;
    runs.setShown(OperatorAspect::Fusion);
    std::ranges::copy_if(mapping.operators, std::back_inserter(run.fusedWith),
                         [id](OperatorId other) { return other != id; });
    if (std::string name = kernelName(kernel); !name.empty()) {
        run.kernels.push_back(std::move(name));
        runs.setShown(OperatorAspect::Kernel);
    }
    if (!kernel.precision.empty()) {
        run.precision = kernel.precision;
        runs.setShown(OperatorAspect::Precision);
    }
    if (!kernel.layout.empty()) {
        run.layout = kernel.layout;
        runs.setShown(OperatorAspect::Layout);
    }
    if (kernel.kind == ProfiledKind::Kernel && kernel.stream != kNoPlace) { // nodes run on threads, any of them
        run.stream = kernel.stream;
        runs.setShown(OperatorAspect::Stream);
    }
}

// By operator, what its kernels took in each run: those of which it is the main one.
std::vector<std::vector<double>> timesByRun(const ImportedProfile &imported, std::size_t operators)
{
    const std::vector<KernelPlaces> &runs = imported.times.runs.runs;
    std::vector<std::vector<double>> us(operators, std::vector<double>(runs.size(), 0.0));
    for (std::size_t run = 0; run < runs.size(); ++run) {
        for (const std::uint32_t place : runs[run]) {
            if (const auto &mapping = imported.mappings[place])
                us[mapping->operators.front().index()][run] +=
                    static_cast<double>(imported.profile.kernels[place].durationNs) / 1000;
        }
    }
    return us;
}

// Empty: it did not run in each.
Repeats repeatsOf(std::vector<double> us)
{
    if (us.empty() || std::ranges::any_of(us, [](double each) { return each <= 0; }))
        return {};
    if (us.size() == 1)
        return {Timing::ofLatency(us.front()), std::move(us)};
    const Timing timing{medianOf(us), meanOf(us), deviationOf(us), static_cast<int>(us.size())};
    return {timing, std::move(us)};
}

void sortWithout(std::vector<OperatorId> &ids)
{
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
}

} // namespace

OperatorRuns operatorRuns(const ImportedProfile &imported, std::size_t operators)
{
    OperatorRuns runs{std::vector<OperatorRun>(operators), {}, {}};
    for (const ProfiledStream &stream : imported.profile.streams)
        runs.streams.push_back(stream.name);
    for (const std::uint32_t place : imported.times.runs.runs[imported.times.typical]) {
        const auto &mapping = imported.mappings[place];
        if (!mapping)
            continue;
        for (const OperatorId id : mapping->operators)
            addKernel(imported.profile.kernels[place], *mapping, id, runs);
    }
    std::vector<std::vector<double>> us = timesByRun(imported, operators);
    for (std::size_t i = 0; i < operators; ++i) {
        OperatorRun &run = runs.operators[i];
        std::ranges::sort(run.kernels);
        sortWithout(run.fusedWith);
        run.repeats = repeatsOf(std::move(us[i]));
    }
    return runs;
}

} // namespace stagecraft
