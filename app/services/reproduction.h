#pragma once

// The published tables beside ours, as values: what `reproduce` computes and the report writers show.

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

// What a number of ours is: one the calibration was fitted on, or a prediction.
enum class FigureRole { Predicted, Fitted };

struct FigureCell {
    std::optional<double> published;
    std::optional<double> ours;
    FigureRole role = FigureRole::Predicted;

    // ours / published - 1, where there are both.
    [[nodiscard]] std::optional<double> error() const;
};

struct FigureRow {
    std::string label;
    std::vector<FigureCell> cells; // as many as the figure has columns
};

struct Figure {
    std::string id; // "schedules", "batch-sweep", ...
    std::string title;
    std::string unit;     // of every cell; empty for counts
    std::string rowsAre;  // heading of the labels
    std::string note;     // may be empty
    bool compared = true; // the errors mean something: both numbers answer the same question
    bool plotted = true;
    std::vector<std::string> columns;
    std::vector<FigureRow> rows;
};

struct ErrorSummary {
    int entries = 0;
    double meanPercent = 0;  // of absolute errors
    double worstPercent = 0; // signed: the one with the largest absolute value
};

// Of cells that have both numbers.
[[nodiscard]] ErrorSummary errorsOf(const Figure &figure);

// A statement of the paper and whether our numbers bear it out.
struct Claim {
    std::string text;
    bool holds = false;
    std::string numbers; // ours, for the reader to judge
};

struct Reproduction {
    std::string deviceId;
    std::string deviceTitle;
    std::string provenance;
    std::string calibration; // may be empty
    std::vector<Figure> figures;
    std::vector<Claim> claims;
    std::vector<std::string> notReproduced; // what was published and cannot be compared here, and why
};

// Over all compared figures; with a role, of its cells alone.
[[nodiscard]] ErrorSummary errorsOf(const Reproduction &reproduction, std::optional<FigureRole> role = {});

} // namespace stagecraft
