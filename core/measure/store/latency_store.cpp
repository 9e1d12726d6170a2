#include "measure/store/latency_store.h"

#include "measure/store/kernel_rows.h"
#include "measure/store/latency_files.h"
#include "measure/store/latency_rows.h"
#include "measure/store/latency_sets.h"
#include "measure/store/stage_samples.h"
#include "support/sqlite.h"
#include "support/user_folders.h"
#include "timing/device_id.h"
#include "timing/latency_quality.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <unistd.h>

namespace stagecraft {
namespace {

using sqlite::Statement;

constexpr std::int64_t kSchemaVersion = 5;

// synchronous = NORMAL: a commit is in the log when it returns, so it survives the death of the process. SQLite waits
// for the disk only at checkpoints.
constexpr const char *kSetUp = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
)";

// What each version added, the oldest first; run within one transaction.
constexpr const char *kSchemas[] = {R"(
CREATE TABLE IF NOT EXISTS latencies (
    fingerprint TEXT NOT NULL, device TEXT NOT NULL, engine TEXT NOT NULL, batch INTEGER NOT NULL, signature TEXT NOT NULL,
    mean_us REAL NOT NULL, median_us REAL NOT NULL, stddev_us REAL NOT NULL, runs INTEGER NOT NULL,
    measured_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (fingerprint, engine, batch, signature)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stages (
    fingerprint TEXT NOT NULL, engine TEXT NOT NULL, batch INTEGER NOT NULL, model TEXT NOT NULL,
    strategy TEXT NOT NULL, groups TEXT NOT NULL, signature TEXT NOT NULL,
    PRIMARY KEY (fingerprint, engine, batch, model, strategy, groups)) WITHOUT ROWID;
PRAGMA user_version = 1;
)",
                                    R"(
ALTER TABLE latencies ADD COLUMN clock_mhz INTEGER;
ALTER TABLE latencies ADD COLUMN memory_clock_mhz INTEGER;
PRAGMA user_version = 2;
)",
                                    R"(
ALTER TABLE latencies ADD COLUMN slowed_by TEXT;
PRAGMA user_version = 3;
)",
                                    R"(
CREATE TABLE schedules (
    fingerprint TEXT NOT NULL, engine TEXT NOT NULL, batch INTEGER NOT NULL, model TEXT NOT NULL, stages TEXT NOT NULL,
    mean_us REAL NOT NULL, median_us REAL NOT NULL, stddev_us REAL NOT NULL, runs INTEGER NOT NULL,
    clock_mhz INTEGER, memory_clock_mhz INTEGER, slowed_by TEXT,
    measured_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (fingerprint, engine, batch, model, stages)) WITHOUT ROWID;
PRAGMA user_version = 4;
)",
                                    R"(
CREATE TABLE described (
    batch INTEGER NOT NULL, signature TEXT NOT NULL, version INTEGER NOT NULL, features TEXT NOT NULL,
    parts TEXT NOT NULL, PRIMARY KEY (batch, signature)) WITHOUT ROWID;
CREATE TABLE equal_outputs (
    fingerprint TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (fingerprint, digest)) WITHOUT ROWID;
CREATE TABLE kernels (
    fingerprint TEXT NOT NULL, kernel TEXT NOT NULL, parameters TEXT NOT NULL, tuned_us REAL NOT NULL,
    library_us REAL NOT NULL, speedup REAL NOT NULL, speedup_low REAL NOT NULL, speedup_high REAL NOT NULL,
    trials INTEGER NOT NULL, measured_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (fingerprint, kernel)) WITHOUT ROWID;
PRAGMA user_version = 5;
)"};
static_assert(std::size(kSchemas) == kSchemaVersion);

// Renames the damaged files. The process id keeps two programs that find the same damage from overwriting each other's
// copy.
std::string setAside(const std::string &path)
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::string aside = fmt::format("{}.damaged-{:%Y%m%d-%H%M%S}-{}", path, fmt::gmtime(now), getpid());
    std::error_code error;
    for (const char *suffix : {"", "-wal", "-shm"}) {
        if (std::filesystem::exists(path + suffix, error))
            std::filesystem::rename(path + suffix, aside + suffix, error);
    }
    return aside;
}

Result<std::int64_t> schemaVersion(sqlite3 *database)
{
    TRY_AS(auto statement, Statement::prepare(database, "PRAGMA user_version"));
    TRY_AS(const auto row, statement.step());
    return row ? statement.integer(0) : 0;
}

// Programs that open a store at the same time take turns; the later ones find it up to date.
Result<void> bringUpToDate(sqlite3 *database)
{
    auto version = schemaVersion(database);
    TRY(version);
    if (*version == kSchemaVersion)
        return {};
    if (auto begun = sqlite::execute(database, "BEGIN IMMEDIATE"); !begun)
        return begun;
    version = schemaVersion(database);
    Result<void> done = version.map([](std::int64_t) {});
    if (done && *version < 0)
        done = fail(ErrorCode::DeviceFailed, fmt::format("its version {} is not one of Stagecraft's", *version),
                    "Move the file away: a new store is created");
    if (done && *version > kSchemaVersion)
        done = fail(ErrorCode::DeviceFailed, "the store was written by a newer Stagecraft", "use the newer one");
    for (std::int64_t next = version.value_or(0); done && next < kSchemaVersion; ++next)
        done = sqlite::execute(database, kSchemas[next]);
    if (!done) {
        (void)sqlite::execute(database, "ROLLBACK");
        return done;
    }
    return sqlite::execute(database, "COMMIT");
}

} // namespace

// The database and its prepared statements.
struct LatencyStore::State {
    std::string path;
    std::string notice;
    sqlite::Database database;
    std::optional<sqlite::Statement> find;
    std::optional<sqlite::Statement> addLatencyRow;
    std::optional<sqlite::Statement> findStage;
    std::optional<sqlite::Statement> addStageRow;
    std::optional<sqlite::Statement> findSchedule;
    std::optional<sqlite::Statement> addScheduleRow;
    std::optional<sqlite::Statement> describe;

    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> nameStage(const MeasurementContext &context, const std::string &signature,
                                         const RecordedStage &stage);
    // Of this latency and the stored one, the better one stays (latency_quality.h).
    [[nodiscard]] Result<void> addLatency(const MeasurementContext &context, const std::string &signature,
                                          const Timing &timing);
    [[nodiscard]] Result<void> addSchedule(const MeasurementContext &context, const RecordedSchedule &schedule);
};

Result<void> LatencyStore::State::prepare()
{
    if (auto done = sqlite::execute(database.get(), kSetUp); !done)
        return done;
    if (auto done = bringUpToDate(database.get()); !done)
        return done;
    const std::pair<std::optional<Statement> *, std::string> statements[] = {
        {&find,
         fmt::format("SELECT {} FROM latencies WHERE fingerprint = ? AND engine = ? AND batch = ? AND signature = ?",
                     timingColumns())},
        {&addLatencyRow, fmt::format("INSERT OR REPLACE INTO latencies (fingerprint, device, engine, batch, signature, "
                                     "{}) VALUES (?, ?, ?, ?, ?, {})",
                                     timingColumns(), timingValues())},
        {&findStage, "SELECT signature FROM stages WHERE fingerprint = ? AND engine = ? AND batch = ? AND model = ? "
                     "AND strategy = ? AND groups = ?"},
        {&addStageRow, "INSERT OR REPLACE INTO stages (fingerprint, engine, batch, model, strategy, groups, signature) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?)"},
        {&findSchedule, fmt::format("SELECT {} FROM schedules WHERE fingerprint = ? AND engine = ? AND batch = ? "
                                    "AND model = ? AND stages = ?",
                                    timingColumns())},
        {&addScheduleRow, fmt::format("INSERT OR REPLACE INTO schedules (fingerprint, engine, batch, model, stages, "
                                      "{}) VALUES (?, ?, ?, ?, ?, {})",
                                      timingColumns(), timingValues())},
        {&describe,
         "INSERT OR REPLACE INTO described (batch, signature, version, features, parts) VALUES (?, ?, ?, ?, ?)"}};
    for (const auto &[statement, sql] : statements) {
        TRY_AS(auto prepared, Statement::prepare(database.get(), sql.c_str()));
        *statement = std::move(prepared);
    }
    return {};
}

// If a model changed but stored its name, its old entries are removed: an export must not mix both.
Result<void> LatencyStore::State::nameStage(const MeasurementContext &context, const std::string &signature,
                                            const RecordedStage &stage)
{
    const std::string strategy(toString(stage.strategy));
    const std::string groups = groupsText(stage);
    TRY_AS(const auto named, bindModel(*findStage, context).bind(strategy).bind(groups).step());
    if (named) {
        const bool same = findStage->text(0) == signature;
        findStage->reset();
        if (same)
            return {};
        for (const char *sql :
             {"DELETE FROM stages WHERE fingerprint = ? AND engine = ? AND batch = ? AND model = ?",
              "DELETE FROM schedules WHERE fingerprint = ? AND engine = ? AND batch = ? AND model = ?"}) {
            TRY_AS(auto forget, Statement::prepare(database.get(), sql));
            TRY(bindModel(forget, context).step());
        }
    }
    return bindModel(*addStageRow, context).bind(strategy).bind(groups).bind(signature).step().map([](bool) {});
}

Result<void> LatencyStore::State::addLatency(const MeasurementContext &context, const std::string &signature,
                                             const Timing &timing)
{
    TRY_AS(const auto stored, bindKey(*find, context, signature).step());
    const auto earlier = stored ? timingFrom(*find, 0) : std::nullopt;
    find->reset();
    if (earlier && !isBetter(timing, *earlier))
        return {};
    addLatencyRow->bind(context.fingerprint)
        .bind(context.deviceTitle)
        .bind(context.deviceId)
        .bind(context.batch)
        .bind(signature);
    bindTiming(*addLatencyRow, timing);
    return addLatencyRow->step().map([](bool) {});
}

Result<void> LatencyStore::State::addSchedule(const MeasurementContext &context, const RecordedSchedule &schedule)
{
    const std::string stages = stagesText(schedule.stages);
    TRY_AS(const auto stored, bindModel(*findSchedule, context).bind(stages).step());
    const auto earlier = stored ? timingFrom(*findSchedule, 0) : std::nullopt;
    findSchedule->reset();
    if (earlier && !isBetter(schedule.whole, *earlier))
        return {};
    bindTiming(bindModel(*addScheduleRow, context).bind(stages), schedule.whole);
    return addScheduleRow->step().map([](bool) {});
}

LatencyStore::LatencyStore(std::unique_ptr<State> state) : m_state(std::move(state)) {}

LatencyStore::LatencyStore(LatencyStore &&) noexcept = default;
LatencyStore &LatencyStore::operator=(LatencyStore &&) noexcept = default;
LatencyStore::~LatencyStore() = default;

Result<LatencyStore> LatencyStore::open(const std::string &path)
{
    if (path.empty())
        return fail(ErrorCode::DeviceFailed, "there is no folder to store latencies in",
                    "Set HOME or XDG_DATA_HOME to the absolute path of a folder");
    (void)makePrivateFolders(std::filesystem::path(path).parent_path()); // opening the store says what is wrong
    auto state = std::make_unique<State>();
    state->path = path;
    for (bool again = true;; again = false) {
        auto database = sqlite::open(path);
        if (!database)
            return within(path, database.error());
        state->database = std::move(*database);
        if (again && sqlite::isDamaged(state->database.get())) {
            state->database.reset();
            state->notice =
                "The latency store was damaged. It was renamed to " + setAside(path) + " and a new one was created.";
            continue;
        }
        if (const auto ready = state->prepare(); !ready)
            return within(path, ready.error());
        return LatencyStore(std::move(state));
    }
}

Result<LatencyStore> LatencyStore::inMemory()
{
    return open(":memory:");
}

const std::string &LatencyStore::path() const
{
    return m_state->path;
}

const std::string &LatencyStore::notice() const
{
    return m_state->notice;
}

Result<std::optional<Timing>> LatencyStore::find(const MeasurementContext &context, StageSignature signature,
                                                 const RecordedStage &stage)
{
    const std::string hex = signature.toHex();
    Statement &find = *m_state->find;
    TRY_AS(const auto row, bindKey(find, context, hex).step());
    auto timing = row ? timingFrom(find, 0) : std::nullopt;
    find.reset();
    if (timing) {
        TRY(m_state->nameStage(context, hex, stage));
    }
    return timing;
}

Result<void> LatencyStore::add(const MeasurementContext &context, StageSignature signature, const RecordedStage &stage,
                               const Timing &timing)
{
    const std::string hex = signature.toHex();
    if (auto stored = m_state->addLatency(context, hex, timing); !stored)
        return stored;
    return m_state->nameStage(context, hex, stage);
}

Result<void> LatencyStore::addSchedule(const MeasurementContext &context, const RecordedSchedule &schedule)
{
    for (const RecordedStage &stage : schedule.stages) {
        if (stage.signature.empty())
            continue;
        if (auto named = m_state->nameStage(context, stage.signature, stage); !named)
            return named;
    }
    return m_state->addSchedule(context, schedule);
}

Result<void> LatencyStore::describe(const MeasurementContext &context, StageSignature signature,
                                    std::span<const float> ofGraph, std::span<const StageSignature> parts)
{
    std::vector<std::string> names;
    for (const StageSignature &part : parts)
        names.push_back(part.toHex());
    return m_state->describe->bind(context.batch)
        .bind(signature.toHex())
        .bind(std::int64_t{StageFeatures::kVersion})
        .bind(fmt::format("{}", fmt::join(ofGraph, " ")))
        .bind(fmt::format("{}", fmt::join(names, " ")))
        .step()
        .map([](bool) {});
}

Result<std::vector<StageSample>> LatencyStore::samples(const MeasurementContext &context)
{
    TRY_AS(const auto known, latencies(context));
    return samplesOf(m_state->database.get(), context, known, kMostSamples);
}

Result<void> LatencyStore::addEqualOutputs(const std::string &fingerprint, const std::string &digest)
{
    TRY_AS(auto row, Statement::prepare(m_state->database.get(), "INSERT OR REPLACE INTO equal_outputs VALUES (?, ?)"));
    return row.bind(fingerprint).bind(digest).step().map([](bool) {});
}

Result<bool> LatencyStore::hasEqualOutputs(const std::string &fingerprint, const std::string &digest)
{
    TRY_AS(auto rows, Statement::prepare(m_state->database.get(),
                                         "SELECT 1 FROM equal_outputs WHERE fingerprint = ? AND digest = ?"));
    return rows.bind(fingerprint).bind(digest).step();
}

Result<std::unordered_map<std::string, Timing>> LatencyStore::latencies(const MeasurementContext &context)
{
    return timingsOf(m_state->database.get(), context);
}

Result<void> LatencyStore::addKernel(const std::string &fingerprint, const StoredKernel &kernel)
{
    return addKernelRow(m_state->database.get(), fingerprint, kernel);
}

Result<std::vector<StoredKernel>> LatencyStore::kernels(const std::string &fingerprint)
{
    return kernelRows(m_state->database.get(), fingerprint);
}

Result<void> LatencyStore::forgetKernels(const std::string &fingerprint)
{
    return removeKernelRows(m_state->database.get(), fingerprint);
}

Result<std::vector<StoredSet>> LatencyStore::list()
{
    return listSets(m_state->database.get());
}

Result<RecordedLatencies> LatencyStore::exported(const MeasurementContext &context)
{
    return exportedLatencies(m_state->database.get(), context);
}

Result<std::int64_t> LatencyStore::import(const RecordedLatencies &latencies)
{
    const MeasurementContext context{latencies.fingerprint, latencies.device, storedDeviceId(latencies.deviceId),
                                     latencies.batch, latencies.model};
    TRY(checkForImport(latencies));
    TRY(sqlite::execute(m_state->database.get(), "BEGIN IMMEDIATE"));
    for (const RecordedStage &stage : latencies.stages) {
        Result<void> done = m_state->addLatency(context, stage.signature, stage.timing);
        if (done)
            done = m_state->nameStage(context, stage.signature, stage);
        if (!done) {
            (void)sqlite::execute(m_state->database.get(), "ROLLBACK");
            return tl::unexpected(done.error());
        }
    }
    for (const RecordedSchedule &schedule : latencies.schedules) {
        if (auto done = m_state->addSchedule(context, schedule); !done) {
            (void)sqlite::execute(m_state->database.get(), "ROLLBACK");
            return tl::unexpected(done.error());
        }
    }
    TRY(sqlite::execute(m_state->database.get(), "COMMIT"));
    return static_cast<std::int64_t>(latencies.stages.size());
}

Result<std::int64_t> LatencyStore::clear(const StoredSelection &meant)
{
    return clearSelected(m_state->database.get(), meant);
}

Result<std::int64_t> LatencyStore::count(const StoredSelection &meant)
{
    return countSelected(m_state->database.get(), meant);
}

std::string defaultLatencyStorePath()
{
    const auto folder = dataFolder();
    return folder ? (*folder / "latencies.sqlite").string() : std::string();
}

} // namespace stagecraft
