#include "measure/store/latency_sets.h"

namespace stagecraft {

using sqlite::Statement;

namespace {

const std::string kWhere = "(?1 = '' OR fingerprint = ?1) AND (?2 = '' OR engine = ?2) AND (?3 = 0 OR batch = ?3)";
const std::string kWhereModel = kWhere + " AND (?4 = '' OR model = ?4)";
const std::string kWhereLatencies = "latencies WHERE " + kWhere +
                                    " AND (?4 = '' OR (fingerprint, engine, batch, signature) IN "
                                    "(SELECT fingerprint, engine, batch, signature FROM stages WHERE " +
                                    kWhereModel + "))";

// The number of rows that the statement returns.
Result<std::int64_t> rowsOf(sqlite3 *database, const std::string &sql, const StoredSelection &meant)
{
    TRY_AS(auto statement, Statement::prepare(database, sql.c_str()));
    statement.bind(meant.fingerprint).bind(meant.deviceId).bind(meant.batch).bind(meant.model);
    for (std::int64_t rows = 0;; ++rows) {
        TRY_AS(const auto row, statement.step());
        if (!row)
            return rows;
    }
}

} // namespace

Result<std::vector<StoredSet>> listSets(sqlite3 *database)
{
    TRY_AS(auto rows,
           Statement::prepare(
               database, "SELECT l.fingerprint, l.device, l.engine, l.batch, s.model, COUNT(*), MAX(l.measured_at), "
                         "MIN(l.clock_mhz), MIN(l.memory_clock_mhz), MAX(l.clock_mhz), MAX(l.memory_clock_mhz) "
                         "FROM stages s JOIN latencies l USING (fingerprint, engine, batch, signature) "
                         "WHERE l.median_us > 0 "
                         "GROUP BY l.fingerprint, l.engine, l.batch, s.model ORDER BY 7 DESC, 2, 5, 4"));
    std::vector<StoredSet> sets;
    for (;;) {
        TRY_AS(const auto row, rows.step());
        if (!row)
            return sets;
        sets.push_back({{rows.text(0), rows.text(1), rows.text(2), rows.integer(3), rows.text(4)},
                        rows.integer(5),
                        rows.text(6),
                        {static_cast<int>(rows.integer(7)), static_cast<int>(rows.integer(8))},
                        {static_cast<int>(rows.integer(9)), static_cast<int>(rows.integer(10))}});
    }
}

Result<std::int64_t> countSelected(sqlite3 *database, const StoredSelection &meant)
{
    return rowsOf(database, "SELECT 1 FROM " + kWhereLatencies, meant);
}

Result<std::int64_t> clearSelected(sqlite3 *database, const StoredSelection &meant)
{
    TRY(sqlite::execute(database, "BEGIN IMMEDIATE"));
    auto gone = rowsOf(database, "DELETE FROM " + kWhereLatencies + " RETURNING 1", meant);
    for (const char *table : {"stages", "schedules"}) {
        if (!gone)
            break;
        if (auto done = rowsOf(database, "DELETE FROM " + std::string(table) + " WHERE " + kWhereModel, meant); !done)
            gone = done;
    }
    if (gone) { // what is known of stages and devices of which no latency is left
        const auto done = sqlite::execute(database, "DELETE FROM described WHERE (batch, signature) NOT IN "
                                                    "(SELECT batch, signature FROM latencies);"
                                                    "DELETE FROM equal_outputs WHERE fingerprint NOT IN "
                                                    "(SELECT fingerprint FROM latencies)");
        if (!done)
            gone = tl::unexpected(done.error());
    }
    const auto ended = sqlite::execute(database, gone ? "COMMIT" : "ROLLBACK");
    if (gone && !ended)
        return tl::unexpected(ended.error());
    return gone;
}

} // namespace stagecraft
