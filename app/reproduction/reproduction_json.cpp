// A reproduction as JSON and back.

#include "reproduction/reproduction_record.h"
#include "reproduction/reproduction_report.h"
#include "support/records/json_fault.h"
#include "support/records/json_record.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFormat = "stagecraft-reproduction";
constexpr int kVersion = 1;

std::optional<double> numberFrom(const Json &json)
{
    return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Figure figureFrom(const Json &json)
{
    Figure figure{json.at("id"),       json.at("title"),   json.at("unit"),
                  json.at("rows_are"), json.at("note"),    json.at("compared"),
                  json.at("plotted"),  json.at("columns"), {}};
    for (const Json &row : json.at("rows")) {
        FigureRow read{row.at("label"), {}};
        for (const Json &cell : row.at("cells"))
            read.cells.push_back({numberFrom(cell.at("published")), numberFrom(cell.at("ours")),
                                  cell.at("fitted").get<bool>() ? FigureRole::Fitted : FigureRole::Predicted});
        figure.rows.push_back(std::move(read));
    }
    return figure;
}

} // namespace

std::string reproductionJson(const Reproduction &reproduction)
{
    Json json{{"format", kFormat}, {"version", kVersion}};
    writeMembers(json, reproduction);
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<Reproduction> reproductionFromJson(const std::string &text)
{
    try {
        const Json json = Json::parse(text);
        if (json.at("format") != kFormat || json.at("version") != kVersion)
            return fail(ErrorCode::InvalidInput, "this is not a reproduction that this program can read");
        Reproduction read{json.at("subject"),
                          json.at("theirs"),
                          json.at("device"),
                          json.at("title"),
                          json.at("provenance"),
                          json.at("calibration"),
                          json.at("judged"),
                          {},
                          {},
                          {}};
        for (const Json &figure : json.at("figures"))
            read.figures.push_back(figureFrom(figure));
        for (const Json &claim : json.at("claims"))
            read.claims.push_back({claim.at("text"), claim.at("holds"), claim.at("numbers")});
        read.notReproduced = json.at("not_compared");
        for (const Figure &figure : read.figures) {
            const auto fits = [&](const FigureRow &row) { return row.cells.size() <= figure.columns.size(); };
            if (!std::ranges::all_of(figure.rows, fits))
                return refused("this is not a reproduction: " + figure.id + " has more cells than columns",
                               "Make it again");
        }
        return read;
    } catch (const Json::exception &error) {
        return fail(ErrorCode::InvalidInput, "this is not a reproduction: " + jsonFault(error), "Make it again");
    }
}

} // namespace stagecraft
