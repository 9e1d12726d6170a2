// Databases of Nsight Systems (nsys export --type sqlite). Tables are there only if something was recorded for them,
// columns only in the versions that know them, rows in no order of time; names are numbers of StringIds. Ranges that
// the program marked (NVTX) name what launched a kernel: TensorRT marks layers, PyTorch operators. Source: Nsight
// Systems, SQLite Export Schema Reference.

#include "device/recorded/profiles/profile_formats.h"
#include "device/recorded/profiles/profile_parts.h"

#include "support/sqlite.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::profiles {
namespace {

constexpr std::int64_t kMostRows = 50'000'000; // of a table

// A table of the database, if it is there.
class Table {
public:
    static Result<Table> open(sqlite3 *database, std::string name)
    {
        Table table;
        table.m_database = database;
        table.m_name = std::move(name);
        // Views of the same name could be anything.
        TRY_AS(auto known, sqlite::Statement::prepare(
                               database, "SELECT p.name FROM sqlite_master AS m, pragma_table_info(m.name) AS p "
                                         "WHERE m.type = 'table' AND m.name = ?"));
        known.bind(table.m_name);
        while (true) {
            TRY_AS(const bool isRow, known.step());
            if (!isRow)
                return table;
            table.m_columns.insert(known.text(0));
        }
    }

    [[nodiscard]] bool isThere() const { return !m_columns.empty(); }

    // Calls with each row; columns that are not there are null. `required` refuses a table without them.
    template <typename OnRow>
    [[nodiscard]] Result<void> read(std::initializer_list<const char *> columns, std::size_t required,
                                    const std::stop_token &stop, const OnRow &onRow) const
    {
        std::string listed;
        std::size_t place = 0;
        for (const char *column : columns) {
            const bool isKnown = m_columns.contains(column);
            if (!isKnown && place < required)
                return refused(fmt::format("the table {} has no column {}", m_name, column));
            listed += fmt::format("{}{}", listed.empty() ? "" : ", ",
                                  isKnown ? fmt::format("\"{}\"", column) : std::string("NULL"));
            ++place;
        }
        const std::string query = fmt::format("SELECT {} FROM \"{}\"", listed, m_name);
        auto rows = sqlite::Statement::prepare(m_database, query.c_str());
        if (!rows)
            return unreadable(rows.error());
        for (std::int64_t count = 0;; ++count) {
            const auto isRow = rows->step();
            if (!isRow)
                return unreadable(isRow.error());
            if (!*isRow)
                return {};
            if (count == kMostRows)
                return refused(fmt::format("the table {} has more than {} rows", m_name, kMostRows));
            if (count % 1024 == 0 && stop.stop_requested())
                return fail(ErrorCode::Cancelled, "cancelled");
            if (auto read = onRow(*rows); !read)
                return within("table " + m_name, std::move(read.error()));
        }
    }

private:
    [[nodiscard]] tl::unexpected<Error> unreadable(const Error &error) const
    {
        return refused(fmt::format("the table {} cannot be read: {}", m_name, error.message));
    }

    sqlite3 *m_database = nullptr;
    std::string m_name;
    std::set<std::string> m_columns;
};

std::optional<std::int64_t> number(const sqlite::Statement &row, int column)
{
    return row.isNull(column) ? std::nullopt : std::optional(row.integer(column));
}

struct Call {
    std::int64_t startNs = 0;
    std::int64_t thread = 0;
    bool launchesKernel = false;
};

struct Range {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::int64_t thread = 0;
    std::string name;
};

class NsightDatabase {
public:
    NsightDatabase(sqlite3 *database, const std::stop_token &stop) : m_database(database), m_stop(stop) {}

    Result<Profile> read()
    {
        TRY(readStrings());
        TRY(readKernels());
        TRY(readMoves("CUPTI_ACTIVITY_KIND_MEMCPY", ProfiledKind::Copy, "copy"));
        TRY(readMoves("CUPTI_ACTIVITY_KIND_MEMSET", ProfiledKind::Fill, "set"));
        TRY(readCalls());
        TRY(readRanges());
        TRY(readDevice());
        TRY(readVersion());
        placeInRanges();
        TRY_AS(const Table graphs, Table::open(m_database, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"));
        if (graphs.isThere())
            m_profile.missing["kernels"] =
                "CUDA graphs were traced as a whole: nsys profile --cuda-graph-trace=node traces their kernels";
        else if (m_profile.kernels.empty())
            m_profile.missing["kernels"] = "the database has no table CUPTI_ACTIVITY_KIND_KERNEL: nsys profile "
                                           "--trace=cuda records kernels";
        for (const auto &[correlation, call] : m_calls)
            m_profile.launchesWithoutKernel += call.launchesKernel && !m_correlations.contains(correlation) ? 1 : 0;
        m_profile.program = "Nsight Systems";
        return std::move(m_profile);
    }

private:
    Result<void> readStrings()
    {
        TRY_AS(const Table table, Table::open(m_database, "StringIds"));
        if (!table.isThere())
            return {};
        return table.read({"id", "value"}, 2, m_stop, [&](const sqlite::Statement &row) -> Result<void> {
            m_strings[row.integer(0)] = row.text(1);
            return {};
        });
    }

    [[nodiscard]] std::string stringAt(std::optional<std::int64_t> id) const
    {
        const auto found = id ? m_strings.find(*id) : m_strings.end();
        return found == m_strings.end() ? std::string() : found->second;
    }

    // The first columns of every table of what ran on a device: start, end, deviceId, streamId, correlationId,
    // graphNodeId.
    Result<ProfiledKernel> spanOf(const sqlite::Statement &row)
    {
        ProfiledKernel kernel;
        const std::int64_t start = row.integer(0);
        const std::int64_t end = row.integer(1);
        if (end < start || start < -kLargestNs || end > kLargestNs)
            return refused(fmt::format("a row ends at {} ns and begins at {} ns", end, start));
        kernel.startNs = start;
        kernel.durationNs = end - start;
        kernel.stream = m_streams.of(row.integer(2), fmt::format("stream {}", row.integer(3)));
        kernel.correlation = number(row, 4);
        kernel.graphNode = number(row, 5);
        if (kernel.graphNode == 0)
            kernel.graphNode.reset();
        return kernel;
    }

    Result<void> readKernels()
    {
        TRY_AS(const Table table, Table::open(m_database, "CUPTI_ACTIVITY_KIND_KERNEL"));
        if (!table.isThere())
            return {};
        const auto add = [&](const sqlite::Statement &row) -> Result<void> {
            TRY_AS(ProfiledKernel kernel, spanOf(row));
            kernel.name = stringAt(number(row, 6));
            if (kernel.name.empty())
                kernel.name = stringAt(number(row, 7));
            if (kernel.name.empty())
                kernel.name = "kernel without a name";
            kernel.grid = {row.integer(8), row.integer(9), row.integer(10)};
            kernel.block = {row.integer(11), row.integer(12), row.integer(13)};
            kernel.registersPerThread = row.integer(14);
            kernel.sharedBytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(row.integer(15)) +
                                                           static_cast<std::uint64_t>(row.integer(16)));
            if (kernel.correlation)
                m_correlations.insert(*kernel.correlation);
            m_profile.kernels.push_back(std::move(kernel));
            return {};
        };
        return table.read({"start", "end", "deviceId", "streamId", "correlationId", "graphNodeId", "shortName",
                           "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                           "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"},
                          2, m_stop, add);
    }

    Result<void> readMoves(const char *name, ProfiledKind kind, const char *what)
    {
        TRY_AS(const Table table, Table::open(m_database, name));
        if (!table.isThere())
            return {};
        const auto add = [&](const sqlite::Statement &row) -> Result<void> {
            TRY_AS(ProfiledKernel move, spanOf(row));
            move.kind = kind;
            move.name = fmt::format("memory {} of {} bytes", what, row.integer(6));
            m_profile.kernels.push_back(std::move(move));
            return {};
        };
        return table.read({"start", "end", "deviceId", "streamId", "correlationId", "graphNodeId", "bytes"}, 2, m_stop,
                          add);
    }

    Result<void> readCalls()
    {
        TRY_AS(const Table table, Table::open(m_database, "CUPTI_ACTIVITY_KIND_RUNTIME"));
        if (!table.isThere())
            return {};
        return table.read({"start", "correlationId", "nameId", "globalTid"}, 2, m_stop,
                          [&](const sqlite::Statement &row) -> Result<void> {
                              const bool launches = stringAt(number(row, 2)).find("LaunchKernel") != std::string::npos;
                              m_calls.try_emplace(row.integer(1), Call{row.integer(0), row.integer(3), launches});
                              return {};
                          });
    }

    Result<void> readRanges()
    {
        TRY_AS(const Table table, Table::open(m_database, "NVTX_EVENTS"));
        if (!table.isThere())
            return {};
        return table.read({"start", "end", "globalTid", "text", "textId"}, 2, m_stop,
                          [&](const sqlite::Statement &row) -> Result<void> {
                              if (row.isNull(1) || row.integer(1) < row.integer(0))
                                  return {}; // a mark
                              Range range{row.integer(0), row.integer(1), row.integer(2), row.text(3)};
                              if (range.name.empty())
                                  range.name = stringAt(number(row, 4));
                              m_ranges.push_back(std::move(range));
                              return {};
                          });
    }

    // The innermost range around each launch, thread by thread.
    void placeInRanges()
    {
        std::vector<std::pair<Call, std::uint32_t>> launches; // with their kernels
        for (std::uint32_t i = 0; i < m_profile.kernels.size(); ++i) {
            const auto &correlation = m_profile.kernels[i].correlation;
            if (const auto call = correlation ? m_calls.find(*correlation) : m_calls.end(); call != m_calls.end()) {
                m_profile.kernels[i].launchedNs = call->second.startNs;
                launches.emplace_back(call->second, i);
            }
        }
        std::ranges::sort(launches, {},
                          [](const auto &launch) { return std::pair(launch.first.thread, launch.first.startNs); });
        std::ranges::sort(m_ranges, {},
                          [](const Range &range) { return std::tuple(range.thread, range.startNs, -range.endNs); });
        std::vector<std::uint32_t> placeOf(m_ranges.size(), kNoPlace);
        std::vector<std::size_t> open;
        std::size_t next = 0;
        for (const auto &[call, kernel] : launches) {
            const auto isBefore = [&, &at = call](const Range &range) {
                return std::pair(range.thread, range.startNs) <= std::pair(at.thread, at.startNs);
            };
            for (; next < m_ranges.size() && isBefore(m_ranges[next]); ++next) {
                while (!open.empty() && (m_ranges[open.back()].thread != m_ranges[next].thread ||
                                         m_ranges[open.back()].endNs < m_ranges[next].startNs))
                    open.pop_back();
                open.push_back(next);
            }
            while (!open.empty() &&
                   (m_ranges[open.back()].thread != call.thread || m_ranges[open.back()].endNs < call.startNs))
                open.pop_back();
            if (open.empty())
                continue;
            std::uint32_t &place = placeOf[open.back()];
            if (place == kNoPlace) {
                place = static_cast<std::uint32_t>(m_profile.hostOperators.size());
                const Range &range = m_ranges[open.back()];
                m_profile.hostOperators.push_back({range.name, range.startNs, range.endNs - range.startNs, {}});
            }
            m_profile.kernels[kernel].hostOperator = place;
        }
    }

    Result<void> readDevice()
    {
        TRY_AS(const Table table, Table::open(m_database, "TARGET_INFO_GPU"));
        const std::int64_t used = m_profile.streams.empty() ? 0 : m_profile.streams.front().device;
        if (table.isThere())
            TRY(table.read({"id", "name"}, 2, m_stop, [&](const sqlite::Statement &row) -> Result<void> {
                if (row.integer(0) == used)
                    m_profile.device = row.text(1);
                return {};
            }));
        if (m_profile.device.empty())
            m_profile.missing["device"] = "the database has no row of the device in the table TARGET_INFO_GPU";
        return {};
    }

    Result<void> readVersion()
    {
        for (const char *name : {"META_DATA_EXPORT", "META_DATA_CAPTURE"}) {
            TRY_AS(const Table table, Table::open(m_database, name));
            if (!table.isThere())
                continue;
            TRY(table.read({"name", "value"}, 2, m_stop, [&](const sqlite::Statement &row) -> Result<void> {
                const std::string key = row.text(0);
                if (key.find("NSIGHT_SYSTEMS_VERSION") != std::string::npos)
                    m_profile.version = row.text(1);
                else if (key == "EXPORT_SCHEMA_VERSION" && m_profile.version.empty())
                    m_profile.version = "schema " + row.text(1);
                return {};
            }));
        }
        if (m_profile.version.empty())
            m_profile.missing["program_version"] = "the database has no table META_DATA_EXPORT that names it";
        return {};
    }

    sqlite3 *m_database;
    const std::stop_token &m_stop;
    Profile m_profile{.format = "nsight-systems"};
    StreamNumbers m_streams{m_profile};
    std::unordered_map<std::int64_t, std::string> m_strings;
    std::unordered_map<std::int64_t, Call> m_calls; // by correlation
    std::unordered_set<std::int64_t> m_correlations;
    std::vector<Range> m_ranges;
};

} // namespace

bool isNsight(std::string_view bytes)
{
    return bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

Result<Profile> readNsight(std::span<const ProfileFile> files, const std::stop_token &stop)
{
    auto database = sqlite::openForReading(files.front().path);
    if (!database)
        return refused("the database cannot be opened: " + database.error().message);
    auto profile = NsightDatabase(database->get(), stop).read();
    if (!profile && profile.error().code == ErrorCode::DeviceFailed)
        return refused("the database cannot be read: " + profile.error().message);
    return profile;
}

} // namespace stagecraft::profiles
