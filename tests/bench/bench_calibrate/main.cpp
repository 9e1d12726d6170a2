// bench_calibrate [DEVICE]: redoes the calibration, starting from DEVICE (v100 unless given), prints the constants and
// the residuals, and then what comes out for each network when it is left out of the fit.

#include "fit.h"

#include "engine/make_schedule.h"
#include "engine/open_model.h"
#include "engine/published_figures.h"
#include "simulate/simulated_device.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

using namespace stagecraft;

namespace {

void printConstants(const DeviceDescription &device)
{
    for (const std::string &key : Calibration::constants()) {
        const auto number = std::ranges::find(deviceNumbers(), key, &DeviceNumber::key);
        std::cout << "  " << key << " " << std::setprecision(4) << device.*number->member;
    }
    std::cout << "\n";
}

void printPercent(double error)
{
    std::cout << std::showpos << std::fixed << std::setprecision(1) << std::setw(8) << 100 * error << " %"
              << std::noshowpos << std::defaultfloat;
}

// The five schedules of one network on the device, errors only.
bool printSchedules(const published::Network &network, const DeviceDescription &description)
{
    const Model model = *openModel(std::string(network.model));
    const auto device = makeSimulatedDevice(description);
    const auto session = *device->open(model.graph);
    double sum = 0;
    for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
        SearchOptions options;
        options.exhaustive = true; // cheaper than choosing what to simulate
        const auto made =
            makeSchedule(model, *session, device->info(), kScheduleKinds[i], options, {}, {});
        if (!made) {
            std::cerr << made.error().message << "\n";
            return false;
        }
        const double error = *made->schedule.latencyUs / 1000 / network.scheduleMs[i] - 1;
        printPercent(error);
        sum += std::abs(error);
    }
    std::cout << "   mean " << std::fixed << std::setprecision(1) << 100 * sum / kScheduleKinds.size() << " %\n"
              << std::defaultfloat;
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    const auto start = findDeviceDescription(argc > 1 ? argv[1] : "v100");
    if (!start) {
        std::cerr << start.error().message << "\n";
        return 2;
    }
    const Calibration calibration;
    std::cout << "Start\n";
    printConstants(*start);
    const DeviceDescription fitted = calibration.fit(*start);
    std::cout << "Fitted\n";
    printConstants(fitted);
    for (const Calibration::Residual &residual : calibration.residuals(fitted)) {
        printPercent(residual.error);
        std::cout << "  " << residual.target->name << "\n";
    }
    std::cout << "Sequential, Greedy, IOS-Merge, IOS-Parallel, IOS-Both\n";
    for (const published::Network &network : published::kNetworks) {
        std::cout << network.title << "\n  in the fit ";
        if (!printSchedules(network, fitted))
            return 1;
        const DeviceDescription without = calibration.fit(fitted, std::string(network.model));
        std::cout << "  left out   ";
        if (!printSchedules(network, without))
            return 1;
        printConstants(without);
    }
    return 0;
}
