#include "device/latency_store.h"

#include "device/sqlite.h"
#include "support/shown_text.h"
#include "support/user_folders.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace stagecraft {
namespace {

// An engine is a device with its options, as in gpu:0:tf32:streams.
std::string precisionOf(const std::string &engine)
{
    for (const char *precision : {"tf32", "fp16"}) {
        if ((engine + ':').find(':' + std::string(precision) + ':') != std::string::npos)
            return precision;
    }
    return "fp32";
}

using sqlite::Statement;

constexpr std::int64_t kSchemaVersion = 3;

// synchronous = NORMAL: a commit is in the log when it returns, which survives the death of the process; the disk is
// only waited for at checkpoints.
constexpr const char *kSetUp = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
)";

// What each version added, the first first. Run within one transaction.
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
)"};
static_assert(std::size(kSchemas) == kSchemaVersion);

std::string groupsText(const RecordedStage &stage)
{
    return nlohmann::json(stage.groups).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<std::vector<std::string>>> groupsFromText(const std::string &text)
{
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto isName = [](const nlohmann::json &name) { return name.is_string(); };
    std::vector<std::vector<std::string>> groups;
    bool isKnown = json.is_array();
    for (std::size_t i = 0; isKnown && i < json.size(); ++i) {
        isKnown = json[i].is_array() && std::ranges::all_of(json[i], isName);
        if (isKnown)
            groups.push_back(json[i].get<std::vector<std::string>>());
    }
    if (!isKnown)
        return fail(ErrorCode::InvalidInput,
                    "the store holds a stage that cannot be read: its groups are " + shownText(text.substr(0, 80)),
                    "Clear the store, or this device's part of it");
    return groups;
}

// With process id: two programs that find the same damage do not overwrite each other's copy.
std::string setAside(const std::string &path)
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &utc);
    const std::string aside = path + ".damaged-" + stamp + '-' + std::to_string(getpid());
    std::error_code error;
    for (const char *suffix : {"", "-wal", "-shm"}) {
        if (std::filesystem::exists(path + suffix, error))
            std::filesystem::rename(path + suffix, aside + suffix, error);
    }
    return aside;
}

Result<std::int64_t> schemaVersion(sqlite3 *database)
{
    auto statement = Statement::prepare(database, "PRAGMA user_version");
    if (!statement)
        return tl::unexpected(statement.error());
    const auto row = statement->step();
    if (!row)
        return tl::unexpected(row.error());
    return *row ? statement->integer(0) : 0;
}

// Programs that open a store at the same time take turns; those that come later find it done.
Result<void> bringUpToDate(sqlite3 *database)
{
    auto version = schemaVersion(database);
    if (!version)
        return tl::unexpected(version.error());
    if (*version == kSchemaVersion)
        return {};
    if (auto begun = sqlite::execute(database, "BEGIN IMMEDIATE"); !begun)
        return begun;
    version = schemaVersion(database);
    Result<void> done = version.map([](std::int64_t) {});
    if (done && *version < 0)
        done = fail(ErrorCode::DeviceFailed, "its version " + std::to_string(*version) + " is none of Stagecraft's",
                    "Move the file away: a new store is begun");
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

struct LatencyStore::State {
    std::string path;
    std::string notice;
    sqlite::Database database;
    std::optional<Statement> find;
    std::optional<Statement> keep;
    std::optional<Statement> findStage;
    std::optional<Statement> forgetModel;
    std::optional<Statement> keepStage;

    Result<void> prepare()
    {
        if (auto done = sqlite::execute(database.get(), kSetUp); !done)
            return done;
        if (auto done = bringUpToDate(database.get()); !done)
            return done;
        const std::pair<std::optional<Statement> *, const char *> statements[] = {
            {&find, "SELECT mean_us, median_us, stddev_us, runs, clock_mhz, memory_clock_mhz, slowed_by "
                    "FROM latencies WHERE fingerprint = ? AND engine = ? AND batch = ? AND signature = ?"},
            {&keep,
             "INSERT OR REPLACE INTO latencies (fingerprint, device, engine, batch, signature, mean_us, median_us, "
             "stddev_us, runs, clock_mhz, memory_clock_mhz, slowed_by) "
             "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, 0), NULLIF(?, 0), NULLIF(?, ''))"},
            {&findStage,
             "SELECT signature FROM stages WHERE fingerprint = ? AND engine = ? AND batch = ? AND model = ? "
             "AND strategy = ? AND groups = ?"},
            {&forgetModel, "DELETE FROM stages WHERE fingerprint = ? AND engine = ? AND batch = ? AND model = ?"},
            {&keepStage,
             "INSERT OR REPLACE INTO stages (fingerprint, engine, batch, model, strategy, groups, signature) "
             "VALUES (?, ?, ?, ?, ?, ?, ?)"}};
        for (const auto &[statement, sql] : statements) {
            auto prepared = Statement::prepare(database.get(), sql);
            if (!prepared)
                return tl::unexpected(prepared.error());
            *statement = std::move(*prepared);
        }
        return {};
    }

    // A model that was changed and kept its name begins anew: one export must not hold numbers of both.
    Result<void> nameStage(const MeasurementContext &context, const std::string &signature, const RecordedStage &stage)
    {
        const auto ofModel = [&](Statement &statement) -> Statement & {
            return statement.bind(context.fingerprint).bind(context.engine).bind(context.batch).bind(context.model);
        };
        const std::string strategy(toString(stage.strategy));
        const std::string groups = groupsText(stage);
        const auto named = ofModel(*findStage).bind(strategy).bind(groups).step();
        if (!named)
            return tl::unexpected(named.error());
        if (*named) {
            const bool same = findStage->text(0) == signature;
            findStage->reset();
            if (same)
                return {};
            if (const auto forgotten = ofModel(*forgetModel).step(); !forgotten)
                return tl::unexpected(forgotten.error());
        }
        const auto done = ofModel(*keepStage).bind(strategy).bind(groups).bind(signature).step();
        if (!done)
            return tl::unexpected(done.error());
        return {};
    }

    Result<void> keepLatency(const MeasurementContext &context, const std::string &signature,
                             const LatencySample &sample)
    {
        keep->bind(context.fingerprint)
            .bind(context.deviceTitle)
            .bind(context.engine)
            .bind(context.batch)
            .bind(signature);
        keep->bind(sample.meanUs).bind(sample.medianUs).bind(sample.stddevUs).bind(std::int64_t{sample.runs});
        keep->bind(std::int64_t{sample.clocks.coreMhz}).bind(std::int64_t{sample.clocks.memoryMhz});
        keep->bind(sample.clocks.slowedBy);
        const auto done = keep->step();
        if (!done)
            return tl::unexpected(done.error());
        return {};
    }
};

LatencyStore::LatencyStore(std::unique_ptr<State> state) : m_state(std::move(state)) {}

LatencyStore::LatencyStore(LatencyStore &&) noexcept = default;
LatencyStore &LatencyStore::operator=(LatencyStore &&) noexcept = default;
LatencyStore::~LatencyStore() = default;

Result<LatencyStore> LatencyStore::open(const std::string &path)
{
    if (path.empty())
        return fail(ErrorCode::DeviceFailed, "there is no folder to keep latencies in",
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
                "The latency store was damaged. It was set aside as " + setAside(path) + " and a new one was begun.";
            continue;
        }
        if (const auto ready = state->prepare(); !ready)
            return within(path, ready.error());
        return LatencyStore(std::move(state));
    }
}

const std::string &LatencyStore::path() const
{
    return m_state->path;
}

const std::string &LatencyStore::notice() const
{
    return m_state->notice;
}

Result<std::optional<LatencySample>> LatencyStore::find(const MeasurementContext &context, StageSignature signature,
                                                        const RecordedStage &stage)
{
    const std::string hex = signature.toHex();
    Statement &find = *m_state->find;
    find.bind(context.fingerprint).bind(context.engine).bind(context.batch).bind(hex);
    const auto row = find.step();
    if (!row)
        return tl::unexpected(row.error());
    if (!*row)
        return std::nullopt;
    const LatencySample sample{
        find.real(0), find.real(1),
        find.real(2), static_cast<int>(find.integer(3)),
        true,         {static_cast<int>(find.integer(4)), static_cast<int>(find.integer(5)), find.text(6)}};
    find.reset();
    if (const auto named = m_state->nameStage(context, hex, stage); !named)
        return tl::unexpected(named.error());
    return sample;
}

Result<void> LatencyStore::keep(const MeasurementContext &context, StageSignature signature, const RecordedStage &stage,
                                const LatencySample &sample)
{
    const std::string hex = signature.toHex();
    if (auto kept = m_state->keepLatency(context, hex, sample); !kept)
        return kept;
    return m_state->nameStage(context, hex, stage);
}

Result<std::vector<StoredSet>> LatencyStore::list()
{
    auto rows =
        Statement::prepare(m_state->database.get(),
                           "SELECT l.fingerprint, l.device, l.engine, l.batch, s.model, COUNT(*), MAX(l.measured_at), "
                           "MIN(l.clock_mhz), MIN(l.memory_clock_mhz), MAX(l.clock_mhz), MAX(l.memory_clock_mhz) "
                           "FROM stages s JOIN latencies l USING (fingerprint, engine, batch, signature) "
                           "GROUP BY l.fingerprint, l.engine, l.batch, s.model ORDER BY 7 DESC, 2, 5, 4");
    if (!rows)
        return tl::unexpected(rows.error());
    std::vector<StoredSet> sets;
    for (;;) {
        const auto row = rows->step();
        if (!row)
            return tl::unexpected(row.error());
        if (!*row)
            return sets;
        sets.push_back({{rows->text(0), rows->text(1), rows->text(2), rows->integer(3), rows->text(4)},
                        rows->integer(5),
                        rows->text(6),
                        {static_cast<int>(rows->integer(7)), static_cast<int>(rows->integer(8))},
                        {static_cast<int>(rows->integer(9)), static_cast<int>(rows->integer(10))}});
    }
}

Result<RecordedLatencies> LatencyStore::exported(const MeasurementContext &context)
{
    auto rows =
        Statement::prepare(m_state->database.get(),
                           "SELECT s.strategy, s.groups, s.signature, l.median_us, l.mean_us, l.stddev_us, l.runs, "
                           "l.clock_mhz, l.memory_clock_mhz, l.slowed_by "
                           "FROM stages s JOIN latencies l USING (fingerprint, engine, batch, signature) "
                           "WHERE s.fingerprint = ? AND s.engine = ? AND s.batch = ? AND s.model = ?");
    if (!rows)
        return tl::unexpected(rows.error());
    rows->bind(context.fingerprint).bind(context.engine).bind(context.batch).bind(context.model);
    RecordedLatencies latencies{context.deviceTitle,
                                context.batch,
                                precisionOf(context.engine),
                                context.model,
                                context.fingerprint,
                                context.engine,
                                {}};
    for (;;) {
        const auto row = rows->step();
        if (!row)
            return tl::unexpected(row.error());
        if (!*row)
            return latencies;
        RecordedStage &stage = latencies.stages.emplace_back();
        stage.strategy = strategyFromString(rows->text(0)).value_or(Strategy::Concurrent);
        auto groups = groupsFromText(rows->text(1));
        if (!groups)
            return within(m_state->path, std::move(groups.error()));
        stage.groups = std::move(*groups);
        stage.signature = rows->text(2);
        stage.latencyUs = rows->real(3);
        stage.meanUs = rows->real(4);
        stage.stddevUs = rows->real(5);
        stage.runs = static_cast<int>(rows->integer(6));
        stage.clocks = {static_cast<int>(rows->integer(7)), static_cast<int>(rows->integer(8)), rows->text(9)};
    }
}

Result<std::int64_t> LatencyStore::import(const RecordedLatencies &latencies)
{
    const MeasurementContext context{latencies.fingerprint, latencies.device, latencies.engine, latencies.batch,
                                     latencies.model};
    for (const RecordedStage &stage : latencies.stages) {
        if (latencies.fingerprint.empty() || stage.signature.empty())
            return fail(ErrorCode::InvalidInput, "the latencies do not say which device and stages they belong to",
                        "use the file as a device of its own: rec:FILE");
    }
    if (auto begun = sqlite::execute(m_state->database.get(), "BEGIN IMMEDIATE"); !begun)
        return tl::unexpected(begun.error());
    for (const RecordedStage &stage : latencies.stages) {
        Result<void> done = m_state->keepLatency(context, stage.signature, sampleOf(stage));
        if (done)
            done = m_state->nameStage(context, stage.signature, stage);
        if (!done) {
            (void)sqlite::execute(m_state->database.get(), "ROLLBACK");
            return tl::unexpected(done.error());
        }
    }
    if (auto committed = sqlite::execute(m_state->database.get(), "COMMIT"); !committed)
        return tl::unexpected(committed.error());
    return static_cast<std::int64_t>(latencies.stages.size());
}

Result<std::int64_t> LatencyStore::clear(const std::optional<std::string> &fingerprint)
{
    std::int64_t gone = 0;
    for (const char *sql : {"DELETE FROM stages WHERE ?1 = '' OR fingerprint = ?1",
                            "DELETE FROM latencies WHERE ?1 = '' OR fingerprint = ?1 RETURNING 1"}) {
        auto statement = Statement::prepare(m_state->database.get(), sql);
        if (!statement)
            return tl::unexpected(statement.error());
        statement->bind(fingerprint.value_or(""));
        for (;;) {
            const auto row = statement->step();
            if (!row)
                return tl::unexpected(row.error());
            if (!*row)
                break;
            ++gone;
        }
    }
    return gone;
}

std::string defaultLatencyStorePath()
{
    const auto folder = dataFolder();
    return folder ? (*folder / "latencies.sqlite").string() : std::string();
}

} // namespace stagecraft
