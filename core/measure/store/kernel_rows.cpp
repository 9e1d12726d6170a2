#include "measure/store/kernel_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace stagecraft {
namespace {

using sqlite::Statement;

KernelParameters parametersFrom(const std::string &text)
{
    KernelParameters parameters;
    std::istringstream words(text);
    for (int value = 0; words >> value;)
        parameters.push_back(value);
    return words.eof() ? parameters : KernelParameters{};
}

} // namespace

Result<void> addKernelRow(sqlite3 *database, const std::string &fingerprint, const StoredKernel &kernel)
{
    TRY_AS(auto statement,
           Statement::prepare(database, "INSERT OR REPLACE INTO kernels (fingerprint, kernel, parameters, tuned_us, "
                                        "library_us, speedup, speedup_low, speedup_high, trials) "
                                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    return statement.bind(fingerprint)
        .bind(kernel.key)
        .bind(fmt::format("{}", fmt::join(kernel.parameters, " ")))
        .bind(kernel.tunedUs)
        .bind(kernel.libraryUs)
        .bind(kernel.speedup)
        .bind(kernel.speedupLow)
        .bind(kernel.speedupHigh)
        .bind(kernel.trials)
        .step()
        .map([](bool) {});
}

Result<std::vector<StoredKernel>> kernelRows(sqlite3 *database, const std::string &fingerprint)
{
    TRY_AS(auto statement,
           Statement::prepare(database, "SELECT kernel, parameters, tuned_us, library_us, speedup, speedup_low, "
                                        "speedup_high, trials FROM kernels WHERE fingerprint = ? ORDER BY kernel"));
    statement.bind(fingerprint);
    std::vector<StoredKernel> kernels;
    for (;;) {
        TRY_AS(const auto row, statement.step());
        if (!row)
            return kernels;
        StoredKernel kernel{statement.text(0), parametersFrom(statement.text(1)),
                            statement.real(2), statement.real(3),
                            statement.real(4), statement.real(5),
                            statement.real(6), statement.integer(7)};
        const bool isWhole = kernel.parameters.empty() == statement.text(1).empty();
        if (isWhole && kernel.libraryUs > 0 && kernel.tunedUs > 0)
            kernels.push_back(std::move(kernel));
    }
}

Result<void> removeKernelRows(sqlite3 *database, const std::string &fingerprint)
{
    TRY_AS(auto statement, Statement::prepare(database, "DELETE FROM kernels WHERE fingerprint = ?"));
    return statement.bind(fingerprint).step().map([](bool) {});
}

} // namespace stagecraft
