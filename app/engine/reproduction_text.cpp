#include "engine/reproduction_numbers.h"
#include "engine/reproduction_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace stagecraft {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// First column to the left, the others to the right.
std::string aligned(const Rows &rows)
{
    std::vector<std::size_t> widths;
    for (const auto &row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto &row : rows) {
        std::string line = "  ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - row[i].size(), ' ');
            line += i == 0 ? row[i] + padding : "  " + padding + row[i];
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string figureText(const Figure &figure)
{
    Rows rows{{figure.rowsAre}};
    for (const std::string &column : figure.columns)
        rows.front().push_back(column);
    for (const FigureRow &row : figure.rows) {
        rows.push_back({row.label});
        for (const FigureCell &cell : row.cells) {
            std::string text = cell.ours ? numberText(*cell.ours) : "-";
            if (cell.published)
                text += " (" + numberText(*cell.published) + ")";
            if (const auto error = cell.error(); error && figure.compared)
                text += " " + errorPercentText(*error) + (cell.role == FigureRole::Fitted ? " f" : "  ");
            rows.back().push_back(std::move(text));
        }
    }
    std::string text = figure.title + (figure.unit.empty() ? "" : ", " + figure.unit) + "\n" + aligned(rows);
    if (const ErrorSummary errors = errorsOf(figure); errors.entries > 0)
        text += "  " + summaryText(errors) + "\n";
    if (!figure.note.empty())
        text += "  " + figure.note + "\n";
    return text;
}

nlohmann::ordered_json numberJson(const std::optional<double> &value)
{
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

} // namespace

std::string reproductionText(const Reproduction &reproduction)
{
    std::string text = "The IOS paper on " + reproduction.deviceId + " (" + reproduction.deviceTitle + "), " +
                       reproduction.provenance + "\n";
    if (!reproduction.calibration.empty())
        text += "Calibrated on: " + reproduction.calibration + "\n";
    text += "Each entry: ours (published) error; f: used in the calibration, all others are predictions\n";
    for (const Figure &figure : reproduction.figures)
        text += "\n" + figureText(figure);
    text += "\nWhat the paper says\n";
    for (const Claim &claim : reproduction.claims)
        text += std::string(claim.holds ? "  holds   " : "  differs ") + claim.text +
                (claim.numbers.empty() ? "" : ": " + claim.numbers) + "\n";
    text += "\nNot compared\n";
    for (const std::string &reason : reproduction.notReproduced)
        text += "  " + reason + "\n";
    return text + "\nIn all: " + summaryText(errorsOf(reproduction)) + "\n";
}

std::string reproductionJson(const Reproduction &reproduction)
{
    using Json = nlohmann::ordered_json;
    const auto summary = [](const ErrorSummary &errors) {
        return Json{{"entries", errors.entries},
                    {"mean_absolute_percent", errors.meanPercent},
                    {"worst_percent", errors.worstPercent}};
    };
    Json json{{"device", reproduction.deviceId},
              {"title", reproduction.deviceTitle},
              {"provenance", reproduction.provenance},
              {"calibration", reproduction.calibration},
              {"errors", summary(errorsOf(reproduction))}};
    json["figures"] = Json::array();
    for (const Figure &figure : reproduction.figures) {
        Json rows = Json::array();
        for (const FigureRow &row : figure.rows) {
            Json cells = Json::array();
            for (const FigureCell &cell : row.cells)
                cells.push_back({{"published", numberJson(cell.published)},
                                 {"ours", numberJson(cell.ours)},
                                 {"error", numberJson(cell.error())},
                                 {"fitted", cell.role == FigureRole::Fitted}});
            rows.push_back({{"label", row.label}, {"cells", std::move(cells)}});
        }
        json["figures"].push_back({{"id", figure.id},
                                   {"title", figure.title},
                                   {"unit", figure.unit},
                                   {"compared", figure.compared},
                                   {"columns", figure.columns},
                                   {"rows", std::move(rows)},
                                   {"errors", summary(errorsOf(figure))}});
    }
    json["claims"] = Json::array();
    for (const Claim &claim : reproduction.claims)
        json["claims"].push_back({{"text", claim.text}, {"holds", claim.holds}, {"numbers", claim.numbers}});
    json["not_compared"] = reproduction.notReproduced;
    return json.dump(2);
}

} // namespace stagecraft
