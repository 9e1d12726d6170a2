#include "timing/statistics/students_t.h"

#include <cmath>
#include <numbers>

namespace stagecraft {

// Finite sums for whole degrees of freedom (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
// 26.7.4).
double studentsTails(double t, std::size_t degrees)
{
    const auto n = static_cast<double>(degrees);
    const double angle = std::atan(std::abs(t) / std::sqrt(n));
    const double cosine = std::cos(angle);
    const bool isOdd = degrees % 2 == 1;
    double term = isOdd ? cosine : 1.0;
    double sum = 0;
    for (std::size_t i = isOdd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        const auto k = static_cast<double>(i);
        term *= cosine * cosine * (k - 1) / k;
    }
    const double within = isOdd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
    return std::max(0.0, 1 - within);
}

double studentsT(std::size_t degrees, double tails)
{
    double low = 0;
    double high = 1;
    while (studentsTails(high, degrees) > tails)
        high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (studentsTails(middle, degrees) > tails ? low : high) = middle;
    }
    return high;
}

} // namespace stagecraft
