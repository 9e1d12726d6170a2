#include "reproduction/reproduction.h"

#include <cmath>

namespace stagecraft {

namespace {

void add(ErrorSummary &summary, const Figure &figure, std::optional<FigureRole> role = {})
{
    for (const FigureRow &row : figure.rows) {
        for (const FigureCell &cell : row.cells) {
            const std::optional<double> error = cell.error();
            if (!error || (role && cell.role != *role))
                continue;
            summary.meanPercent =
                (summary.meanPercent * summary.entries + 100 * std::abs(*error)) / (summary.entries + 1);
            ++summary.entries;
            if (100 * std::abs(*error) > std::abs(summary.worstPercent))
                summary.worstPercent = 100 * *error;
        }
    }
}

} // namespace

std::optional<double> FigureCell::error() const
{
    if (!published || !ours || *published == 0)
        return std::nullopt;
    return *ours / *published - 1;
}

ErrorSummary errorsOf(const Figure &figure)
{
    ErrorSummary summary;
    if (figure.compared)
        add(summary, figure);
    return summary;
}

ErrorSummary errorsOf(const Reproduction &reproduction, std::optional<FigureRole> role)
{
    ErrorSummary summary;
    for (const Figure &figure : reproduction.figures) {
        if (figure.compared)
            add(summary, figure, role);
    }
    return summary;
}

} // namespace stagecraft
