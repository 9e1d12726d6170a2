#include "measure/store/latency_files.h"

#include "measure/store/latency_rows.h"
#include "timing/latency_quality.h"

#include <fmt/format.h>

namespace stagecraft {

using sqlite::Statement;

namespace {

// A device id has the options of the device, as in gpu:0:tf32:streams.
std::string precisionOf(const std::string &deviceId)
{
    for (const char *precision : {"tf32", "fp16"}) {
        if ((deviceId + ':').find(':' + std::string(precision) + ':') != std::string::npos)
            return precision;
    }
    return "fp32";
}

// Adds the model's schedules that can be read.
Result<void> addSchedules(sqlite3 *database, const MeasurementContext &context, RecordedLatencies &latencies)
{
    const std::string sql = fmt::format("SELECT stages, {} FROM schedules WHERE fingerprint = ? AND engine = ? "
                                        "AND batch = ? AND model = ?",
                                        timingColumns());
    TRY_AS(auto rows, Statement::prepare(database, sql.c_str()));
    bindModel(rows, context);
    for (;;) {
        TRY_AS(const auto row, rows.step());
        if (!row)
            return {};
        auto stages = stagesFrom(rows.text(0));
        auto whole = timingFrom(rows, 1);
        if (stages && whole)
            latencies.schedules.push_back({std::move(*stages), std::move(*whole)});
    }
}

} // namespace

Result<RecordedLatencies> exportedLatencies(sqlite3 *database, const MeasurementContext &context)
{
    const std::string sql = fmt::format(
        "SELECT s.strategy, s.groups, s.signature, {} FROM stages s JOIN latencies l USING (fingerprint, "
        "engine, batch, signature) WHERE s.fingerprint = ? AND s.engine = ? AND s.batch = ? AND s.model = ?",
        timingColumns());
    TRY_AS(auto rows, Statement::prepare(database, sql.c_str()));
    bindModel(rows, context);
    RecordedLatencies latencies{context.deviceTitle,
                                context.batch,
                                precisionOf(context.deviceId),
                                context.model,
                                context.fingerprint,
                                context.deviceId,
                                {},
                                {}};
    for (;;) {
        TRY_AS(const auto row, rows.step());
        if (!row)
            break;
        auto timing = timingFrom(rows, 3);
        if (!timing)
            continue;
        const auto strategy = strategyFromString(rows.text(0));
        auto groups = groupsFrom(rows.text(1));
        if (!strategy || !groups)
            return fail(ErrorCode::InvalidInput, "the store has a stage that cannot be read");
        latencies.stages.push_back({*strategy, std::move(*groups), std::move(*timing), rows.text(2)});
    }
    TRY(addSchedules(database, context, latencies));
    return latencies;
}

Result<void> checkForImport(const RecordedLatencies &latencies)
{
    const auto refuse = [](std::size_t line, std::string message, std::string remedy) {
        auto error = refused(std::move(message), std::move(remedy));
        return line > 0 ? within(fmt::format("line {}", line), std::move(error.value())) : error;
    };
    for (const RecordedStage &stage : latencies.stages) {
        if (latencies.fingerprint.empty() || stage.signature.empty())
            return refuse(stage.line, "the latencies do not say which device and stages they belong to",
                          "use the file as a device of its own: rec:FILE");
        const bool isHex = stage.signature.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (!isHex || stage.signature.size() != StageSignature{}.toHex().size())
            return refuse(stage.line, "the signature \"" + stage.signature + "\" is not 32 digits 0-9, a-f",
                          "export the latencies again with stagecraft-cli latencies export");
        if (!isUsable(stage.timing))
            return refuse(stage.line, "the latency is not a valid measurement", "export the latencies again");
    }
    return {};
}

Result<std::unordered_map<std::string, Timing>> timingsOf(sqlite3 *database, const MeasurementContext &context)
{
    const std::string sql = fmt::format(
        "SELECT signature, {} FROM latencies WHERE fingerprint = ? AND engine = ? AND batch = ?", timingColumns());
    TRY_AS(auto rows, Statement::prepare(database, sql.c_str()));
    rows.bind(context.fingerprint).bind(context.deviceId).bind(context.batch);
    std::unordered_map<std::string, Timing> timings;
    for (;;) {
        TRY_AS(const auto row, rows.step());
        if (!row)
            return timings;
        if (auto timing = timingFrom(rows, 1))
            timings.emplace(rows.text(0), std::move(*timing));
    }
}

} // namespace stagecraft
