#include "support/sqlite.h"

#include "support/blocking_calls.h"

#include <chrono>
#include <sqlite3.h>
#include <thread>

namespace stagecraft::sqlite {
namespace {

std::string remedyFor(int code)
{
    switch (code & 0xFF) {
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH: return "Check the permissions of the file and its folder";
    case SQLITE_FULL:
    case SQLITE_IOERR: return "Check that its disk works and has free space";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "Another program is using it; try again when that is done";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return "Start the program again: a damaged store is renamed and a new one is created";
    default: return {};
    }
}

tl::unexpected<Error> failure(sqlite3 *database)
{
    return fail(ErrorCode::DeviceFailed, std::string("SQLite: ") + sqlite3_errmsg(database),
                remedyFor(sqlite3_errcode(database)));
}

Result<Database> openWith(const std::string &path, int flags)
{
    noteBlockingCall();
    sqlite3 *raw = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    Database database(raw);
    if (status != SQLITE_OK)
        return failure(raw);
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, kBusyMs);
    return database;
}

} // namespace

void CloseDatabase::operator()(sqlite3 *database) const
{
    sqlite3_close_v2(database);
}

void FinishStatement::operator()(sqlite3_stmt *statement) const
{
    sqlite3_finalize(statement);
}

Result<Statement> Statement::prepare(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *raw = nullptr;
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK)
        return failure(database);
    Statement statement;
    statement.m_statement.reset(raw);
    return statement;
}

Statement &Statement::bind(const std::string &text)
{
    sqlite3_bind_text(m_statement.get(), ++m_bound, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
}

Statement &Statement::bind(std::int64_t number)
{
    sqlite3_bind_int64(m_statement.get(), ++m_bound, number);
    return *this;
}

Statement &Statement::bind(double number)
{
    sqlite3_bind_double(m_statement.get(), ++m_bound, number);
    return *this;
}

Result<bool> Statement::step()
{
    noteBlockingCall();
    const int status = sqlite3_step(m_statement.get());
    if (status == SQLITE_ROW)
        return true;
    auto error = failure(sqlite3_db_handle(m_statement.get()));
    reset();
    if (status != SQLITE_DONE)
        return error;
    return false;
}

void Statement::reset()
{
    sqlite3_reset(m_statement.get());
    m_bound = 0;
}

std::string Statement::text(int column) const
{
    const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(m_statement.get(), column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column)))
                 : std::string();
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement.get(), column);
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

Result<Database> open(const std::string &path)
{
    return openWith(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Result<Database> openForReading(const std::string &path)
{
    auto database = openWith(path, SQLITE_OPEN_READONLY);
    if (database) {
        sqlite3_db_config(database->get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(database->get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    }
    return database;
}

Result<void> execute(sqlite3 *database, const char *sql)
{
    // SQLite does not wait where waiting could be a deadlock, as when two programs create the log of a new file at the
    // same time.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMs);
    while (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        if ((sqlite3_errcode(database) & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() > end)
            return failure(database);
        if (sqlite3_get_autocommit(database) == 0)
            sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return {};
}

bool isDamaged(sqlite3 *database)
{
    const auto says = [](int code) { return (code & 0xFF) == SQLITE_NOTADB || (code & 0xFF) == SQLITE_CORRUPT; };
    sqlite3_stmt *raw = nullptr;
    if (sqlite3_prepare_v2(database, "PRAGMA quick_check(1)", -1, &raw, nullptr) != SQLITE_OK)
        return says(sqlite3_extended_errcode(database));
    const std::unique_ptr<sqlite3_stmt, FinishStatement> check(raw);
    const int status = sqlite3_step(raw);
    if (status != SQLITE_ROW)
        return says(status);
    const auto *answer = reinterpret_cast<const char *>(sqlite3_column_text(raw, 0));
    return !answer || std::string(answer) != "ok";
}

} // namespace stagecraft::sqlite
