#include "device/simulated/fit/measured_kernels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace stagecraft {

namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 24;

std::string_view trimmed(std::string_view text)
{
    const std::size_t from = text.find_first_not_of(" \t\r");
    return from == std::string_view::npos ? std::string_view()
                                          : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::vector<std::string_view> cellsOf(std::string_view line)
{
    std::vector<std::string_view> cells;
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t comma = std::min(line.find(',', from), line.size());
        cells.push_back(trimmed(line.substr(from, comma - from)));
        from = comma + 1;
    }
    return cells;
}

constexpr std::array<std::string_view, 5> kNeededColumns{"kind", "n_or_m", "c_or_n", "h_or_k", "time_us"};
constexpr std::array<std::string_view, 16> kColumns{"kind",    "n_or_m",  "c_or_n",  "h_or_k",   "w",        "k",
                                                    "kh",      "kw",      "pad_h",   "pad_w",    "stride_h", "stride_w",
                                                    "trans_a", "trans_b", "time_us", "algorithm"};

// One line of the file under the headings.
class KernelLine {
public:
    KernelLine(const std::map<std::string_view, std::size_t> &columns, std::vector<std::string_view> cells)
        : m_columns(columns), m_cells(std::move(cells))
    {
    }

    [[nodiscard]] std::string_view text(std::string_view column) const
    {
        const auto found = m_columns.find(column);
        return found == m_columns.end() || found->second >= m_cells.size() ? std::string_view()
                                                                           : m_cells[found->second];
    }

    [[nodiscard]] Result<std::int64_t> size(std::string_view column, std::int64_t least = 1) const
    {
        const std::string_view cell = text(column);
        std::int64_t value = 0;
        const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (cell.empty() || read.ec != std::errc() || read.ptr != cell.data() + cell.size() || value < least ||
            value > kLargestSize)
            return refused(fmt::format("{} is \"{}\"", column, cell),
                           fmt::format("Give a whole number from {} to {}", least, kLargestSize));
        return value;
    }

    [[nodiscard]] Result<double> time() const
    {
        constexpr double kLongestUs = 1e9;
        const std::string_view cell = text("time_us");
        double value = 0;
        const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
        if (cell.empty() || read.ec != std::errc() || read.ptr != cell.data() + cell.size() || !(value > 0) ||
            value > kLongestUs)
            return refused(fmt::format("time_us is \"{}\"", cell), "Give microseconds, more than 0");
        return value;
    }

    [[nodiscard]] Result<MeasuredKernel> kernel() const
    {
        const std::string_view kind = text("kind");
        if (kind != "conv" && kind != "gemm")
            return refused(fmt::format("kind is \"{}\"", kind), "Known are conv and gemm");
        MeasuredKernel kernel;
        TRY_AS(kernel.us, time());
        kernel.algorithm = std::string(text("algorithm"));
        if (kind == "gemm") {
            kernel.kind = KernelKind::Product;
            TRY_AS(kernel.columns, size("n_or_m"));
            TRY_AS(kernel.rows, size("c_or_n"));
            TRY_AS(kernel.inner, size("h_or_k"));
            kernel.transposed = std::string(text("trans_a")) + std::string(text("trans_b"));
            return kernel;
        }
        TRY_AS(kernel.batch, size("n_or_m"));
        TRY_AS(kernel.channels, size("c_or_n"));
        TRY_AS(kernel.image[0], size("h_or_k"));
        TRY_AS(kernel.image[1], size("w"));
        TRY_AS(kernel.filters, size("k"));
        TRY_AS(kernel.window[0], size("kh"));
        TRY_AS(kernel.window[1], size("kw"));
        TRY_AS(kernel.padding[0], size("pad_h", 0));
        TRY_AS(kernel.padding[1], size("pad_w", 0));
        TRY_AS(kernel.stride[0], size("stride_h"));
        TRY_AS(kernel.stride[1], size("stride_w"));
        for (std::size_t i = 0; i < kernel.image.size(); ++i) {
            if (kernel.window[i] > kernel.image[i] + 2 * kernel.padding[i])
                return refused(fmt::format("a window of {} does not fit into an image of {} with a padding of {}",
                                           kernel.window[i], kernel.image[i], kernel.padding[i]));
        }
        return kernel;
    }

private:
    const std::map<std::string_view, std::size_t> &m_columns;
    std::vector<std::string_view> m_cells;
};

Result<std::map<std::string_view, std::size_t>> columnsOf(std::string_view line)
{
    std::map<std::string_view, std::size_t> columns;
    const auto cells = cellsOf(line);
    for (std::size_t i = 0; i < cells.size(); ++i)
        columns.try_emplace(cells[i], i);
    for (const std::string_view needed : kNeededColumns) {
        if (!columns.contains(needed))
            return refused(fmt::format("there is no column {}", needed),
                           fmt::format("The first line names the columns: {}", fmt::join(kColumns, ",")));
    }
    return columns;
}

std::string sizesText(const std::array<std::int64_t, 2> &sizes)
{
    return sizes[0] == sizes[1] ? fmt::format("{}", sizes[0]) : fmt::format("{}x{}", sizes[0], sizes[1]);
}

} // namespace

Result<std::vector<MeasuredKernel>> measuredKernelsFromCsv(std::string_view text, std::string_view name)
{
    std::optional<std::map<std::string_view, std::size_t>> columns;
    std::vector<MeasuredKernel> kernels;
    std::size_t number = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view line = trimmed(text.substr(from, end - from));
        from = end + 1;
        ++number;
        if (line.empty())
            continue;
        const std::string place = fmt::format("line {}", number);
        if (!columns) {
            auto read = columnsOf(line);
            if (!read)
                return within(place, read.error());
            columns = *std::move(read);
            continue;
        }
        auto kernel = KernelLine(*columns, cellsOf(line)).kernel();
        if (!kernel)
            return within(place, kernel.error());
        kernel->source = fmt::format("{}:{}", name, number);
        kernels.push_back(*std::move(kernel));
    }
    if (kernels.empty())
        return refused("there are no kernels", "Give a line of headings, and a line for each kernel");
    return kernels;
}

std::string kernelText(const MeasuredKernel &kernel)
{
    if (!kernel.isConvolution())
        return fmt::format("product {}x{}x{}{}", kernel.rows, kernel.inner, kernel.columns,
                           kernel.transposed.empty() ? "" : " " + kernel.transposed);
    std::string text = fmt::format("conv {}x{}x{}x{}, {} of {}x{}", kernel.batch, kernel.channels, kernel.image[0],
                                   kernel.image[1], kernel.filters, kernel.window[0], kernel.window[1]);
    if (kernel.padding != std::array<std::int64_t, 2>{0, 0})
        text += ", pad " + sizesText(kernel.padding);
    if (kernel.stride != std::array<std::int64_t, 2>{1, 1})
        text += ", stride " + sizesText(kernel.stride);
    return text;
}

std::string algorithmOf(const MeasuredKernel &kernel)
{
    // Names of cudnnConvolutionFwdAlgo_t without what they begin with (cuDNN API reference).
    constexpr std::array<std::string_view, 8> kKnown{
        "IMPLICIT_GEMM", "IMPLICIT_PRECOMP_GEMM", "GEMM", "DIRECT", "FFT", "FFT_TILING",
        "WINOGRAD",      "WINOGRAD_NONFUSED"};
    if (!kernel.isConvolution())
        return "product";
    if (kernel.algorithm.empty())
        return "not told";
    return std::ranges::find(kKnown, kernel.algorithm) == kKnown.end() ? "other" : kernel.algorithm;
}

std::string familyOf(const MeasuredKernel &kernel)
{
    constexpr std::int64_t kVector = 4;
    constexpr std::int64_t kFew = 64;
    constexpr std::int64_t kMany = 1024;
    if (kernel.isConvolution())
        return "conv " + algorithmOf(kernel);
    if (kernel.rows <= kVector)
        return fmt::format("product, up to {} rows", kVector);
    if (kernel.rows <= kFew)
        return fmt::format("product, {} to {} rows", kVector + 1, kFew);
    if (kernel.rows <= kMany)
        return fmt::format("product, {} to {} rows", kFew + 1, kMany);
    return fmt::format("product, over {} rows", kMany);
}

std::string sizeClassOf(const MeasuredKernel &kernel)
{
    constexpr double kShortUs = 100;
    constexpr double kLongUs = 1000;
    return kernel.us < kShortUs ? "under 100 us" : kernel.us < kLongUs ? "100 us to 1 ms" : "1 ms and more";
}

} // namespace stagecraft
