#include "flow/fit/open_kernels.h"

#include "device/recorded/profiles/profile_reader.h"
#include "flow/fit/profile_kernels.h"
#include "support/input_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>

namespace stagecraft {

namespace {

// Whether its first line lists columns; profiles are JSON, databases or gzipped.
Result<bool> isTable(const std::string &path)
{
    constexpr std::uintmax_t kAnySize = std::uintmax_t{1} << 50U;
    std::array<char, 4096> bytes{};
    TRY_AS(auto file, OpenedFile::open(path, kAnySize));
    TRY_AS(const std::size_t size, file.read(bytes.data(), bytes.size()));
    std::string_view line(bytes.data(), size);
    line = line.substr(0, line.find('\n'));
    return line.find(',') != std::string_view::npos && std::ranges::none_of(line, [](unsigned char letter) {
               return letter == '{' || letter == '[' || (letter < ' ' && letter != '\t' && letter != '\r');
           });
}

Result<std::vector<MeasuredKernel>> kernelsOfTable(const std::string &path)
{
    constexpr std::uintmax_t kLargestTable = std::uintmax_t{1} << 26U;
    TRY_AS(const auto text, readInputFile(path, kLargestTable));
    return measuredKernelsFromCsv(text, std::filesystem::path(path).filename().string());
}

Result<std::vector<MeasuredKernel>> kernelsOfProfile(const std::string &path, const std::stop_token &stop)
{
    TRY_AS(const Profile profile, readProfile(std::span(&path, 1), stop));
    auto kernels = kernelsOf(profile);
    if (kernels.empty())
        return within(path, refused("the profile has no convolution and no product with the shapes of its operands",
                                    "Record it with shapes (record_shapes=True), or give a table of kernels")
                                .value());
    return kernels;
}

} // namespace

Result<std::vector<MeasuredKernel>> openKernels(const std::string &path, const std::stop_token &stop)
{
    const auto table = isTable(path);
    if (!table)
        return within(path, table.error());
    if (!*table)
        return kernelsOfProfile(path, stop);
    auto kernels = kernelsOfTable(path);
    if (!kernels)
        return within(path, kernels.error());
    return kernels;
}

} // namespace stagecraft
