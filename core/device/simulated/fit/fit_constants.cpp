#include "device/simulated/fit/fit_constants.h"

#include "support/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

namespace stagecraft {

namespace {

using Places = std::vector<std::size_t>;

constexpr double kLossWidth = 0.1;  // in log(simulated / measured)
constexpr double kPull = 0.02;      // of a constant that is e times that of the base, in kernels that are off by e
constexpr double kFirstStep = 0.32; // in the logarithm of a constant
constexpr double kLastStep = 0.01;

// Cancels the rest once one part fails.
Result<std::vector<double>> simulatedInParts(const KernelSimulation &simulation, const DeviceDescription &device,
                                             const Places &places, const std::stop_token &stop)
{
    const std::size_t parts = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
    std::vector<Places> shares(parts); // dealt, since neighbours in a file are alike
    for (std::size_t i = 0; i < places.size(); ++i)
        shares[i % parts].push_back(places[i]);
    std::vector<std::future<Result<std::vector<double>>>> others;
    for (std::size_t part = 1; part < parts; ++part)
        others.push_back(
            std::async(std::launch::async, [&, part] { return simulation.simulatedUs(device, shares[part], stop); }));
    std::vector<Result<std::vector<double>>> times;
    times.push_back(simulation.simulatedUs(device, shares.front(), stop));
    for (auto &other : others)
        times.push_back(other.get());
    for (const auto &part : times)
        TRY(part);
    std::vector<double> all(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        all[i] = (*times[i % parts])[i / parts];
    return all;
}

// One fit, to the kernels at these places.
class ConstantSearch {
public:
    ConstantSearch(const KernelSimulation &simulation, const DeviceDescription &base,
                   std::vector<const DeviceNumber *> constants, Places places, std::stop_token stop)
        : m_simulation(simulation), m_base(base), m_constants(std::move(constants)), m_places(std::move(places)),
          m_stop(std::move(stop))
    {
    }

    // `progress` gets the share that is done.
    Result<DeviceDescription> run(const std::function<void(double)> &progress)
    {
        constexpr int kMovesPerStep = 12;
        std::vector<double> best(m_constants.size(), 0.0); // logarithms, less those of the base
        TRY_AS(double bestLoss, loss(best));
        const double halvings = std::log2(kFirstStep / kLastStep);
        for (double step = kFirstStep; step > kLastStep; step /= 2) {
            progress(std::log2(kFirstStep / step) / halvings);
            for (int move = 0; move < kMovesPerStep; ++move) {
                auto next = best;
                double nextLoss = bestLoss;
                TRY(explore(next, nextLoss, step));
                if (!isLess(nextLoss, bestLoss))
                    break;
                // On in the same direction, as far as it helps.
                auto further = next;
                for (std::size_t i = 0; i < further.size(); ++i)
                    further[i] += next[i] - best[i];
                best = next;
                bestLoss = nextLoss;
                TRY_AS(double furtherLoss, loss(further));
                TRY(explore(further, furtherLoss, step));
                if (isLess(furtherLoss, bestLoss)) {
                    best = std::move(further);
                    bestLoss = furtherLoss;
                }
            }
        }
        return deviceAt(best);
    }

private:
    // By so much that rounding does not decide.
    [[nodiscard]] static bool isLess(double loss, double than) { return loss < than * (1 - 1e-6); }

    Result<void> explore(std::vector<double> &at, double &atLoss, double step) const
    {
        for (double &coordinate : at) {
            const double before = coordinate;
            for (const double change : {step, -step}) {
                coordinate = before + change;
                TRY_AS(const double changed, loss(at));
                if (isLess(changed, atLoss)) {
                    atLoss = changed;
                    break;
                }
                coordinate = before;
            }
        }
        return {};
    }

    [[nodiscard]] DeviceDescription deviceAt(const std::vector<double> &at) const
    {
        DeviceDescription device = m_base;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const DeviceNumber &number = *m_constants[i];
            device.*number.member = std::clamp(m_base.*number.member * std::exp(at[i]), number.minimum, number.maximum);
        }
        return device;
    }

    [[nodiscard]] Result<double> loss(const std::vector<double> &at) const
    {
        const DeviceDescription device = deviceAt(at);
        TRY_AS(const auto times, simulatedInParts(m_simulation, device, m_places, m_stop));
        double sum = 0;
        for (std::size_t i = 0; i < times.size(); ++i) {
            const double off = std::log(times[i] / m_simulation.kernels()[m_places[i]].us) / kLossWidth;
            sum += kLossWidth * (std::sqrt(1 + off * off) - 1);
        }
        for (const double coordinate : at) // also beyond the range, so that the search comes back
            sum += kPull * coordinate * coordinate;
        return sum;
    }

    const KernelSimulation &m_simulation;
    const DeviceDescription &m_base;
    std::vector<const DeviceNumber *> m_constants;
    Places m_places;
    std::stop_token m_stop;
};

// The calibrated constants that change the time of a kernel.
Result<std::vector<const DeviceNumber *>> toldConstants(const KernelSimulation &simulation,
                                                        const DeviceDescription &base, const Places &all,
                                                        const std::stop_token &stop)
{
    constexpr double kChange = 1.25;
    std::vector<const DeviceNumber *> told;
    TRY_AS(const auto before, simulatedInParts(simulation, base, all, stop));
    for (const DeviceNumber &number : calibratedNumbers()) {
        const double value = base.*number.member;
        if (value <= 0) // switched off
            continue;
        DeviceDescription changed = base;
        changed.*number.member = value / kChange >= number.minimum ? value / kChange : value * kChange;
        TRY_AS(const auto times, simulatedInParts(simulation, changed, all, stop));
        if (times != before)
            told.push_back(&number);
    }
    return told;
}

// The fold of each kernel. Equal ones, whose transposes alone differ, share one: else a kernel that is left out would
// have been fitted to by its double.
Result<std::vector<std::size_t>> foldsOf(const std::vector<MeasuredKernel> &kernels, std::size_t folds)
{
    std::map<std::string, std::size_t> foldOf; // by sizes
    std::map<std::string, std::size_t> dealt;  // by family
    std::vector<std::size_t> result;
    for (const MeasuredKernel &kernel : kernels) {
        MeasuredKernel sizes = kernel;
        sizes.transposed.clear();
        const auto [found, isNew] = foldOf.try_emplace(kernelText(sizes), 0);
        if (isNew)
            found->second = dealt[familyOf(kernel)]++ % folds;
        result.push_back(found->second);
    }
    if (foldOf.size() < folds)
        return refused(fmt::format("{}: too few to leave out one of {} parts",
                                   counted(static_cast<std::int64_t>(foldOf.size()), "kernel"), folds),
                       "Give more kernels, or --keep-constants to judge the device as it is");
    return result;
}

double toFourDigits(double value) // as people write constants
{
    const std::string text = fmt::format("{:.3e}", value);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

} // namespace

Result<FittedConstants> fitConstants(const KernelSimulation &simulation, const DeviceDescription &base,
                                     const FitOptions &options, const FitProgress &progress,
                                     const std::stop_token &stop)
{
    const auto tell = [&](const std::string &what, double done) {
        if (progress)
            progress(what, done);
    };
    Places all(simulation.kernels().size());
    std::iota(all.begin(), all.end(), 0);
    FittedConstants fitted{base, {}, {}};
    fitted.device.judgements.clear();
    for (const MeasuredKernel &kernel : simulation.kernels())
        fitted.kernels.push_back({kernel, 0});
    if (options.keepConstants) {
        tell("judging", 0);
        TRY_AS(const auto times, simulatedInParts(simulation, base, all, stop));
        for (std::size_t i = 0; i < times.size(); ++i)
            fitted.kernels[i].simulatedUs = times[i];
        return fitted;
    }

    const auto folds = static_cast<std::size_t>(std::max(2, options.folds));
    TRY_AS(const auto foldOf, foldsOf(simulation.kernels(), folds));
    tell("finding what the kernels tell", 0);
    TRY_AS(const auto constants, toldConstants(simulation, base, all, stop));
    const auto fit = [&](Places places, const std::string &what, std::size_t number) {
        const auto share = [&, number](double done) {
            tell(what, (static_cast<double>(number) + done) / static_cast<double>(folds + 1));
        };
        return ConstantSearch(simulation, base, constants, std::move(places), stop).run(share);
    };
    for (std::size_t fold = 0; fold < folds; ++fold) {
        Places kept;
        Places left;
        for (const std::size_t place : all)
            (foldOf[place] == fold ? left : kept).push_back(place);
        TRY_AS(const auto device,
               fit(std::move(kept), fmt::format("leaving out part {} of {}", fold + 1, folds), fold));
        TRY_AS(const auto times, simulatedInParts(simulation, device, left, stop));
        for (std::size_t i = 0; i < left.size(); ++i)
            fitted.kernels[left[i]].simulatedUs = times[i];
    }
    TRY_AS(fitted.device, fit(all, "fitting to all kernels", folds));
    fitted.device.judgements.clear();
    for (const DeviceNumber *number : constants) {
        double &value = fitted.device.*number->member;
        value = std::clamp(toFourDigits(value), number->minimum, number->maximum);
        fitted.constants.push_back({std::string(number->key), base.*number->member, value});
    }
    return fitted;
}

} // namespace stagecraft
