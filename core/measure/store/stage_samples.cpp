#include "measure/store/stage_samples.h"

#include <cmath>
#include <optional>
#include <sstream>

namespace stagecraft {

using sqlite::Statement;

namespace {

std::vector<float> numbersFrom(const std::string &text)
{
    std::vector<float> numbers;
    std::istringstream words(text);
    for (float number = 0; words >> number;)
        numbers.push_back(number);
    return words.eof() ? numbers : std::vector<float>{};
}

// Where a stage's groups and strategy are among its features (StageFeatures::append).
StageForm formFrom(const std::vector<float> &features)
{
    const Strategy strategy = features[0] > 1   ? Strategy::Fused
                              : features[0] > 0 ? Strategy::Merge
                                                : Strategy::Concurrent;
    return formOf(strategy, features[2] > 1 ? 2 : 1);
}

std::optional<StageSample> sampleFrom(const std::string &features, const std::string &parts, double latencyUs,
                                      const std::unordered_map<std::string, Timing> &known)
{
    StageSample sample{numbersFrom(features), 0, latencyUs};
    if (sample.features.size() != StageFeatures::kOfGraph)
        return std::nullopt;
    std::vector<double> partsUs;
    std::istringstream words(parts);
    for (std::string part; words >> part;) {
        const auto found = known.find(part);
        if (found == known.end())
            return std::nullopt;
        partsUs.push_back(found->second.latencyUs);
    }
    sample.guessedUs = guessFromParts(formFrom(sample.features), partsUs);
    StageFeatures::appendParts(partsUs, sample.features);
    return sample.guessedUs > 0 ? std::optional(std::move(sample)) : std::nullopt;
}

} // namespace

Result<std::vector<StageSample>> samplesOf(sqlite3 *database, const MeasurementContext &context,
                                           const std::unordered_map<std::string, Timing> &known, std::size_t most)
{
    TRY_AS(auto rows, Statement::prepare(database, "SELECT signature, features, parts FROM described "
                                                   "WHERE batch = ? AND version = ? ORDER BY signature"));
    rows.bind(context.batch).bind(std::int64_t{StageFeatures::kVersion});
    std::vector<StageSample> samples;
    while (samples.size() < most) {
        TRY_AS(const auto row, rows.step());
        if (!row)
            break;
        const auto latency = known.find(rows.text(0));
        if (latency == known.end())
            continue;
        if (auto sample = sampleFrom(rows.text(1), rows.text(2), latency->second.latencyUs, known))
            samples.push_back(std::move(*sample));
    }
    return samples;
}

} // namespace stagecraft
