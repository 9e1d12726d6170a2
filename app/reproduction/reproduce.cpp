#include "reproduction/reproduce.h"

#include "reproduction/reproducer.h"
#include "reproduction/reproduction_steps.h"
#include "wiring/device_catalog.h"

#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

// The published numbers were measured on a V100: for another device they are only a point of reference.
void withoutErrors(Reproduction &reproduction)
{
    for (Figure &figure : reproduction.figures) {
        figure.compared = false;
        for (FigureRow &row : figure.rows) {
            for (FigureCell &cell : row.cells)
                cell.role = FigureRole::Predicted;
        }
    }
}

struct Step {
    const char *name;
    Result<void> (*run)(Reproducer &);
};

constexpr Step kSteps[] = {{"schedules of four networks", reproduceSchedules},
                           {"sample network", reproduceSample},
                           {"active warps", reproduceActiveWarps},
                           {"pruning", reproducePruning},
                           {"cost of the search", reproduceWholeSearches},
                           {"blocks of Inception V3", reproduceBlocks},
                           {"batch sizes", reproduceBatches},
                           {"devices", reproduceDevices},
                           {"published schedules", reproducePublishedSchedules},
                           {"networks", reproduceNetworks},
                           {"size of the search", reproduceSearchSpaces},
                           {"streams", reproduceStreams},
                           {"rtasks", reproduceRTasks},
                           {"experts", reproduceExperts},
                           {"layouts", reproduceLayoutStudy}};

} // namespace

Result<Reproduction> reproduce(const std::string &deviceId, const ReproduceProgress &progress, std::stop_token stop)
{
    TRY_AS(auto device, findDevice(deviceId));
    Reproducer run(std::move(device), std::move(stop));
    double done = 0;
    for (const Step &step : kSteps) {
        if (progress)
            progress(step.name, done / static_cast<double>(std::size(kSteps)));
        if (run.stop().stop_requested())
            return fail(ErrorCode::Cancelled, "the reproduction was stopped");
        if (Result<void> made = step.run(run); !made)
            return within(step.name, made.error());
        ++done;
    }
    Reproduction reproduction = run.take();
    if (run.info().id != kPublishedDevice)
        withoutErrors(reproduction);
    return reproduction;
}

} // namespace stagecraft
