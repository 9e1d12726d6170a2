#pragma once

// The part of SQLite that the latency store and profiles need, with results instead of codes.

#include "support/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace stagecraft::sqlite {

struct CloseDatabase {
    void operator()(sqlite3 *database) const;
};
struct FinishStatement {
    void operator()(sqlite3_stmt *statement) const;
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// Prepared once, run often: bind the values in order, step to the end, repeat.
class Statement {
public:
    [[nodiscard]] static Result<Statement> prepare(sqlite3 *database, const char *sql);

    Statement &bind(const std::string &text);
    Statement &bind(std::int64_t number);
    Statement &bind(double number);
    // True: there is a row to read. At the end, and after an error, the statement can be bound again.
    [[nodiscard]] Result<bool> step();
    void reset();

    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const;
    [[nodiscard]] bool isNull(int column) const;

private:
    std::unique_ptr<sqlite3_stmt, FinishStatement> m_statement;
    int m_bound = 0;
};

inline constexpr int kBusyMs = 5000; // how long other programs are waited for

[[nodiscard]] Result<Database> open(const std::string &path);
// A file of another program, which is neither created nor changed, nor are its triggers and views trusted.
[[nodiscard]] Result<Database> openForReading(const std::string &path);
[[nodiscard]] Result<void> execute(sqlite3 *database, const char *sql);
// The file is not a database, or its contents are inconsistent.
[[nodiscard]] bool isDamaged(sqlite3 *database);

} // namespace stagecraft::sqlite
