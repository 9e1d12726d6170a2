// bench_calibrate [--check | --depthwise]: redoes the calibration and prints the constants, the residuals, the result
// for each network when it is left out of the fit, and the K80's constant. With --check the exit status says whether
// the constants in resources/devices match and whether the accuracy promised for left-out networks holds; tst_reproduce
// checks the accuracy for the others. With --depthwise the constant that is otherwise fixed is fitted, too.

#include "fit.h"
#include "fit_k80.h"

#include "device/simulated/simulated_device.h"
#include "flow/find_schedule.h"
#include "flow/open_model.h"
#include "reproduction/published_figures.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <string_view>

using namespace stagecraft;

namespace {

// The promised accuracy for the five schedules of a network that is left out of the fit.
constexpr double kMeanPercent = 5;
constexpr double kWorstPercent = 10;

void printConstants(const Calibration &calibration, const DeviceDescription &device)
{
    for (const std::string &key : calibration.constants()) {
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

// Prints the errors of one network's five schedules on the device; returns whether they are within the promised
// accuracy.
bool printSchedules(const published::Network &network, const DeviceDescription &description)
{
    const Model model = openModel({std::string(network.model)})->model;
    const auto device = makeSimulatedDevice(description);
    const auto session = *device->open(model.graph);
    double sum = 0;
    double worst = 0;
    for (std::size_t i = 0; i < kScheduleKinds.size(); ++i) {
        SearchOptions options;
        options.exhaustive = true; // cheaper than choosing what to simulate
        const auto made = findSchedule(model, *session, device->info(), {kScheduleKinds[i], options}, {}, {});
        if (!made) {
            std::cerr << made.error().message << "\n";
            return false;
        }
        const double error = *made->schedule.latencyUs() / 1000 / network.scheduleMs[i] - 1;
        printPercent(error);
        sum += std::abs(error);
        worst = std::max(worst, std::abs(error));
    }
    std::cout << "   mean " << std::fixed << std::setprecision(1) << 100 * sum / kScheduleKinds.size() << " %\n"
              << std::defaultfloat;
    const double mean = 100 * sum / kScheduleKinds.size();
    return mean <= kMeanPercent && 100 * worst <= kWorstPercent;
}

// Whether the fitted constants equal those in resources/devices, which are rounded to three digits.
bool agrees(const DeviceDescription &fitted, const DeviceDescription &stored, const std::string &key)
{
    constexpr double kRounding = 0.01;
    const auto number = std::ranges::find(deviceNumbers(), key, &DeviceNumber::key);
    const double is = stored.*number->member;
    const bool same = std::abs(fitted.*number->member - is) <= kRounding * is;
    if (!same)
        std::cout << std::defaultfloat << std::setprecision(4) << "DIFFERS: " << stored.name << " " << key << " is "
                  << is << ", the fit gives " << fitted.*number->member << "\n";
    return same;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string_view mode = argc > 1 ? argv[1] : "";
    const bool check = mode == "--check";
    if (argc > 2 || (argc > 1 && !check && mode != "--depthwise")) {
        std::cerr << "bench_calibrate [--check | --depthwise]\n";
        return 2;
    }
    const DeviceDescription v100 = *findDeviceDescription("v100");
    const DeviceDescription k80 = *findDeviceDescription("k80");
    bool good = true;
    const Calibration calibration(mode == "--depthwise" ? FittedConstants::DepthwiseToo : FittedConstants::Four);
    const DeviceDescription fitted = calibration.fit(calibration.start(v100));
    std::cout << "V100, fitted\n";
    printConstants(calibration, fitted);
    for (const Calibration::Residual &residual : calibration.residuals(fitted)) {
        printPercent(residual.error);
        std::cout << "  " << residual.target->name << "\n";
    }
    for (const std::string &key : calibration.constants())
        good = agrees(fitted, v100, key) && good;
    std::cout << "Sequential, Greedy, IOS-Merge, IOS-Parallel, IOS-Both\n";
    for (const published::Network &network : published::kNetworks) {
        std::cout << network.title << "\n";
        if (!check) {
            std::cout << "  in the fit ";
            printSchedules(network, fitted);
        }
        const DeviceDescription without = calibration.fit(fitted, std::string(network.model));
        std::cout << "  left out   ";
        good = printSchedules(network, without) && good;
        printConstants(calibration, without);
    }
    const DeviceDescription fittedK80 = fitK80(k80, v100);
    std::cout << "K80, fitted\n  gemm_efficiency " << fittedK80.gemmEfficiency
              << "\n  on K80, made for K80 and V100; on V100, made for K80 and V100\n";
    for (const double residual : k80Residuals(fittedK80, v100))
        printPercent(residual);
    std::cout << "\n";
    good = agrees(fittedK80, k80, "gemm_efficiency") && good;
    return check && !good ? 1 : 0;
}
