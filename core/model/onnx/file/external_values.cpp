#include "model/onnx/file/external_values.h"

#include "model/onnx/refusal.h"

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <onnx/onnx_pb.h>
#include <optional>
#include <set>

namespace stagecraft {
namespace {

struct ExternalData {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
};

Result<ExternalData> externalData(const onnx::TensorProto &tensor)
{
    ExternalData data;
    for (const auto &entry : tensor.external_data()) {
        if (entry.key() == "location") {
            data.location = entry.value();
            continue;
        }
        if (entry.key() != "offset" && entry.key() != "length")
            continue;
        std::uint64_t number = 0;
        const char *end = entry.value().data() + entry.value().size();
        const auto [stop, error] = std::from_chars(entry.value().data(), end, number);
        if (error != std::errc() || stop != end)
            return refuseModel(fmt::format("the {} of its external data is not a number", entry.key()));
        if (entry.key() == "offset")
            data.offset = number;
        else
            data.length = number;
    }
    return data;
}

Result<std::filesystem::path> pathInside(const std::filesystem::path &folder, const std::string &location)
{
    const std::filesystem::path relative = std::filesystem::path(location).lexically_normal();
    std::error_code error;
    const auto base = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, error);
    const auto path = std::filesystem::weakly_canonical(base / relative, error);
    const auto inside = path.lexically_relative(base);
    if (location.empty() || relative.is_absolute() || error || inside.empty() || *inside.begin() == "..")
        return refuseModel(fmt::format("its external data file {} is outside the model's folder", location),
                           "Put the data file next to the model and name it without a folder");
    return path;
}

Error hasChanged(const ExternalRange &range)
{
    return {ErrorCode::InvalidInput,
            fmt::format("the data file {} has changed since the model was opened", range.location),
            "Open the model again",
            {}};
}

class LaterValues final : public StoredValues {
public:
    LaterValues(ExternalRange range, std::size_t count, bool areReal, DecodeValues decode)
        : m_range(std::move(range)), m_count(count), m_areReal(areReal), m_decode(std::move(decode))
    {
    }

    [[nodiscard]] std::size_t count() const override { return m_count; }
    [[nodiscard]] bool areReal() const override { return m_areReal; }

    [[nodiscard]] std::shared_ptr<const ConstantValues> read() const override
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_values) {
            auto bytes = readRange(m_range);
            if (!bytes)
                m_fault = bytes.error();
            m_values = m_decode(bytes ? *bytes : std::string(m_range.length, '\0'));
        }
        return m_values;
    }

    [[nodiscard]] std::optional<Error> fault() const override
    {
        const std::scoped_lock lock(m_mutex);
        return m_fault;
    }

private:
    const ExternalRange m_range;
    const std::size_t m_count;
    const bool m_areReal;
    const DecodeValues m_decode;
    mutable std::mutex m_mutex;
    mutable std::shared_ptr<const ConstantValues> m_values;
    mutable std::optional<Error> m_fault;
};

} // namespace

Result<ExternalRange> externalRange(const onnx::TensorProto &tensor, const std::filesystem::path &folder,
                                    std::uint64_t expectedBytes)
{
    TRY_AS(const auto data, externalData(tensor));
    TRY_AS(auto path, pathInside(folder, data.location));
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return refuseModel(fmt::format("its external data file {} is missing", data.location),
                           "Put the data file next to the model");
    ExternalRange range{std::move(path), data.location, data.offset, data.length.value_or(expectedBytes), 0, {}};
    if (range.length != expectedBytes)
        return refuseModel(
            fmt::format("its external data has {} bytes, but its shape needs {}", range.length, expectedBytes));
    range.fileBytes = std::filesystem::file_size(range.path, error);
    if (!error)
        range.changed = std::filesystem::last_write_time(range.path, error);
    if (error || range.offset > range.fileBytes || range.length > range.fileBytes - range.offset)
        return refuseModel(fmt::format("its external data file {} is cut short", data.location),
                           "Copy or download the file again");
    return range;
}

Result<std::string> readRange(const ExternalRange &range)
{
    std::error_code error;
    const bool isSame = std::filesystem::file_size(range.path, error) == range.fileBytes && !error &&
                        std::filesystem::last_write_time(range.path, error) == range.changed && !error;
    if (!isSame)
        return tl::unexpected(hasChanged(range));
    std::string bytes(range.length, '\0');
    std::ifstream stream(range.path, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(range.offset));
    if (!stream || !stream.read(bytes.data(), static_cast<std::streamsize>(range.length)))
        return refuseModel("its external data file " + range.location + " cannot be read", "Check its permissions");
    return bytes;
}

SharedValues valuesLater(ExternalRange range, std::size_t count, bool areReal, DecodeValues decode)
{
    return std::shared_ptr<const StoredValues>(
        std::make_shared<LaterValues>(std::move(range), count, areReal, std::move(decode)));
}

std::vector<std::string> externalFiles(const onnx::GraphProto &graph, const std::filesystem::path &folder)
{
    std::set<std::string> files;
    for (const auto &tensor : graph.initializer()) {
        if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
            continue;
        if (const auto data = externalData(tensor))
            files.insert((folder / data->location).string());
    }
    return {files.begin(), files.end()};
}

} // namespace stagecraft
