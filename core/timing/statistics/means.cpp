#include "timing/statistics/means.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {

double meanOf(std::span<const double> values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double geometricMeanOf(std::span<const double> values)
{
    double logs = 0;
    for (const double value : values)
        logs += std::log(value);
    return std::exp(logs / static_cast<double>(values.size()));
}

double medianOf(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double deviationOf(std::span<const double> values)
{
    if (values.size() < 2)
        return 0;
    const double mean = meanOf(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

} // namespace stagecraft
