#include "engine/measure_in_turn.h"

#include "support/students_t.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {
namespace {

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace

std::vector<InTurn> comparedInTurn(const std::vector<std::vector<double>> &roundsUs)
{
    const auto count = static_cast<double>(roundsUs.size());
    std::vector<InTurn> compared(roundsUs.front().size());
    for (std::size_t i = 0; i < compared.size(); ++i) {
        std::vector<double> latencies;
        double sum = 0;
        double squares = 0;
        for (const std::vector<double> &round : roundsUs) {
            latencies.push_back(round[i]);
            const double ratio = std::log(round.front() / round[i]);
            sum += ratio;
            squares += ratio * ratio;
        }
        const double mean = sum / count;
        double half = std::numeric_limits<double>::infinity();
        if (roundsUs.size() > 1) {
            const double variance = std::max(0.0, (squares - sum * mean) / (count - 1));
            half = studentsT(roundsUs.size() - 1) * std::sqrt(variance / count);
        }
        compared[i] = {median(std::move(latencies)), std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
    }
    return compared;
}

Result<std::vector<InTurn>> measureInTurn(std::span<const Schedule> schedules, DeviceSession &session, int rounds,
                                          const std::stop_token &stop)
{
    std::vector<std::vector<double>> roundsUs(static_cast<std::size_t>(rounds));
    for (std::vector<double> &round : roundsUs) {
        for (const Schedule &schedule : schedules) {
            const auto whole = session.measureWhole(schedule, stop);
            if (!whole)
                return tl::unexpected(whole.error());
            round.push_back(whole->medianUs);
        }
    }
    return comparedInTurn(roundsUs);
}

} // namespace stagecraft
