#include "cli/study_runs.h"

#include "cli/model_options.h"
#include "cli/option_checks.h"
#include "support/number_ranges.h"
#include "support/number_text.h"
#include "wiring/pools.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace stagecraft {
namespace {

std::vector<int> numbersOf(const std::vector<std::string> &texts)
{
    std::vector<NumberRange> ranges;
    for (const std::string &text : texts)
        ranges.push_back(*numberRange(text, 1, kLargestBound)); // checked with the options
    return numbersIn(ranges);
}

void addBoundsTo(CLI::App &command, const std::string &name, std::vector<std::string> &bounds,
                 const std::string &description)
{
    command.add_option(name, bounds, description)
        ->type_name("N,N..N,...")
        ->delimiter(',')
        ->check(wholeNumbers(1, kLargestBound))
        ->capture_default_str();
}

} // namespace

void PruningBounds::addTo(CLI::App &command, const std::string &prefix)
{
    addBoundsTo(command, "--r", r, prefix + "at most so many operators per group, for example 1..5");
    addBoundsTo(command, "--s", s, prefix + "at most so many groups per stage, for example 3,8");
}

PruningGrid PruningBounds::grid() const
{
    PruningGrid grid;
    grid.r = numbersOf(r);
    grid.s = numbersOf(s);
    return grid;
}

Result<void> checkSize(const PruningGrid &grid)
{
    if (grid.size() <= kMostPruningPoints)
        return {};
    return fail(ErrorCode::WrongUse,
                fmt::format("the sweep would be {} searches, more than {}",
                            grouped(static_cast<std::int64_t>(grid.size())), grouped(kMostPruningPoints)),
                "Name fewer values of --r and --s");
}

Result<void> runStudy(PruningStudy &study, std::span<const PruningPoint> points, const DeviceInfo &device,
                      const CostBasis &basis, const CommandLine &line)
{
    for (const PruningPoint &point : mostInformativeFirst(points)) {
        const std::string name = nameOf(point);
        const auto studied = study.study(point, terminalProgress(name, device.provenance, basis), line.stop);
        clearProgress();
        if (line.stop.stop_requested())
            break; // the points that are done are worth having
        TRY(studied);
        tellRefusals((*studied)->refusal, *(*studied)->schedule, name);
    }
    endProgress();
    return {};
}

std::string StudiedPlaces::labelOf(const RunPlace &place) const
{
    std::string batch = place.batch > 0 ? fmt::format("batch {}", place.batch) : "";
    if (!namesDevices)
        return batch;
    return batch.empty() ? place.device : fmt::format("{}, {}", place.device, batch);
}

Result<StudiedPlaces> studiedPlaces(const std::vector<std::string> &devices, const std::string &device,
                                    const std::vector<std::int64_t> &batches)
{
    const std::vector<std::string> one{device};
    TRY_AS(const auto each, eachDevice(devices));
    return StudiedPlaces{placesOf(devices.empty() ? one : each, batches), !devices.empty()};
}

Specialization specializationOf(const std::string &model, const std::string &deviceOption)
{
    return Specialization([=, mutex = std::make_shared<std::mutex>()](const RunPlace &place) -> Result<OpenedPlace> {
        auto opened = [&] {
            const std::scoped_lock lock(*mutex); // its notes
            return ModelOptions{{.spec = model, .batch = place.batch}}.open();
        }();
        TRY(opened);
        auto shared = std::make_shared<const Model>(std::move(*opened));
        TRY_AS(auto device, DeviceOption{place.device, deviceOption}.open(*shared));
        return OpenedPlace{std::move(shared), std::move(device.info), std::move(device.session)};
    });
}

Result<void> fillTable(Specialization &study, const StudiedPlaces &places, const CommandLine &line)
{
    std::mutex mutex; // protects `lines` and the terminal
    std::map<RunPlace, SearchProgressCallback> lines;
    SpecializationCallbacks told;
    told.opened = [&](const RunPlace &place, const StudiedPlace &at) {
        const std::scoped_lock lock(mutex);
        lines[place] =
            terminalProgress(places.labelOf(place), at.device.provenance, latencyBasis(*at.model, at.device));
    };
    told.searching = [&](const RunPlace &place, const SearchProgress &progress) {
        const std::scoped_lock lock(mutex);
        if (const auto &show = lines.at(place))
            show(progress);
    };
    told.made = [&](const RunPlace &place, const FoundSchedule &found) {
        const std::scoped_lock lock(mutex);
        clearProgress();
        tellRefusals(found.refusal, found.schedule, places.labelOf(place));
    };
    const auto listening = line.listen();
    auto done = study.study(places.places, told, line.stop);
    if (!done)
        clearProgress();
    else
        endProgress();
    return done;
}

} // namespace stagecraft
