#pragma once

// The published tables and ours, as values: computed by `reproduce` and shown by the report writers. Kernels that
// others measured are tables, too.

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// Whether the calibration was fitted to one of our numbers, or it is a prediction.
enum class FigureRole { Predicted, Fitted };

struct FigureCell {
    std::optional<double> published;
    std::optional<double> ours;
    FigureRole role = FigureRole::Predicted;

    // ours / published - 1, if both exist.
    [[nodiscard]] std::optional<double> error() const;
};

struct FigureRow {
    std::string label;
    std::vector<FigureCell> cells; // one per column of the figure
};

struct Figure {
    std::string id; // "schedules", "batch-sweep", ...
    std::string title;
    std::string unit;     // of every cell; empty for counts
    std::string rowsAre;  // heading of the row labels
    std::string note;     // may be empty
    bool compared = true; // the errors mean something: both numbers answer the same question
    bool plotted = true;
    std::vector<std::string> columns;
    std::vector<FigureRow> rows;
};

struct ErrorSummary {
    int entries = 0;
    double meanPercent = 0;  // of absolute errors
    double worstPercent = 0; // signed: the error with the largest absolute value
};

// Over the cells that have both numbers.
[[nodiscard]] ErrorSummary errorsOf(const Figure &figure);

// A statement of the paper, and whether our numbers confirm it.
struct Claim {
    std::string text;
    bool holds = false;
    std::string numbers; // ours, for the reader to judge
};

struct Reproduction {
    std::string subject = "The IOS paper"; // whose numbers ours are beside
    std::string theirs = "published";      // the word for those numbers, or "measured"
    std::string deviceId;
    std::string deviceTitle;
    std::string provenance;
    std::string calibration; // may be empty
    std::string judged;      // "within 12 % on kernels left out in fp32"; empty: the device is not simulated
    std::vector<Figure> figures;
    std::vector<Claim> claims;
    std::vector<std::string> notReproduced; // published results that cannot be compared here, and why
};

// Over all compared figures; with a role, only its cells.
[[nodiscard]] ErrorSummary errorsOf(const Reproduction &reproduction, std::optional<FigureRole> role = {});

} // namespace stagecraft
