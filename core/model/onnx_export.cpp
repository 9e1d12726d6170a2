#include "model/onnx_export.h"

#include "graph/parameter_values.h"
#include "model/onnx/node_writer.h"

#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <onnx/onnx_pb.h>
#include <optional>
#include <type_traits>
#include <unistd.h>

namespace stagecraft {
namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;

// A file under a temporary name until it is complete.
class PendingFile {
public:
    explicit PendingFile(std::filesystem::path target)
        : m_target(std::move(target)), m_temporary(m_target.string() + ".part" + std::to_string(::getpid())),
          m_stream(m_temporary, std::ios::binary)
    {
    }
    PendingFile(const PendingFile &) = delete;
    PendingFile &operator=(const PendingFile &) = delete;
    ~PendingFile()
    {
        std::error_code ignored;
        std::filesystem::remove(m_temporary, ignored);
    }

    std::ofstream &stream() { return m_stream; }

    Result<void> close()
    {
        m_stream.close();
        if (!m_stream)
            return fail(ErrorCode::InvalidInput, "the file cannot be written",
                        "Choose a folder you may write to, with enough space");
        return {};
    }
    Result<void> publish()
    {
        std::error_code error;
        std::filesystem::rename(m_temporary, m_target, error);
        if (error)
            return fail(ErrorCode::InvalidInput, "the file cannot be written: " + error.message());
        return {};
    }

private:
    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    std::ofstream m_stream;
};

// Ends of slices are often the largest number there is.
template <typename Stored>
Stored saturated(float value)
{
    if constexpr (std::is_integral_v<Stored>) {
        if (!(value > static_cast<float>(std::numeric_limits<Stored>::min())))
            return std::numeric_limits<Stored>::min();
        if (value >= static_cast<float>(std::numeric_limits<Stored>::max()))
            return std::numeric_limits<Stored>::max();
    }
    return static_cast<Stored>(value);
}

template <typename Stored>
std::string bytesAs(const std::vector<float> &values)
{
    std::string bytes(values.size() * sizeof(Stored), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Stored stored = saturated<Stored>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(Stored), &stored, sizeof(Stored));
    }
    return bytes;
}

struct Stored {
    onnx::TensorProto::DataType type;
    std::string (*bytes)(const std::vector<float> &);
};

// Values are kept as 32-bit floating point, whatever they were stored as.
Stored storedAs(DataType type)
{
    switch (type) {
    case DataType::Int64: return {onnx::TensorProto::INT64, bytesAs<std::int64_t>};
    case DataType::Int32: return {onnx::TensorProto::INT32, bytesAs<std::int32_t>};
    case DataType::Int8: return {onnx::TensorProto::INT8, bytesAs<std::int8_t>};
    case DataType::UInt8: return {onnx::TensorProto::UINT8, bytesAs<std::uint8_t>};
    case DataType::Bool: return {onnx::TensorProto::BOOL, bytesAs<std::uint8_t>};
    case DataType::Float64: return {onnx::TensorProto::DOUBLE, bytesAs<double>};
    default: return {onnx::TensorProto::FLOAT, bytesAs<float>};
    }
}

onnx::TensorProto::DataType elementType(DataType type)
{
    return storedAs(type).type;
}

void describe(const Tensor &tensor, onnx::ValueInfoProto &info)
{
    info.set_name(tensor.name);
    auto &type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(elementType(tensor.type));
    if (!tensor.shape.known)
        return;
    auto &shape = *type.mutable_shape();
    for (const std::int64_t dim : tensor.shape.dims)
        shape.add_dim()->set_dim_value(dim);
}

void addExternal(onnx::TensorProto &tensor, const std::string &location, std::uint64_t offset, std::uint64_t length)
{
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&](const char *key, std::string value) {
        auto &added = *tensor.add_external_data();
        added.set_key(key);
        added.set_value(std::move(value));
    };
    entry("location", location);
    entry("offset", std::to_string(offset));
    entry("length", std::to_string(length));
}

void addWeights(const WrittenGraph &written, onnx::GraphProto &proto, std::ofstream *data, const std::string &location)
{
    std::uint64_t offset = 0;
    for (const Parameter &parameter : written.weights) {
        onnx::TensorProto &tensor = *proto.add_initializer();
        tensor.set_name(parameter.name);
        for (const std::int64_t dim : parameter.shape.dims)
            tensor.add_dims(dim);
        const Stored stored = storedAs(parameter.type);
        tensor.set_data_type(stored.type);
        std::string bytes = stored.bytes(*parameterValues(parameter));
        // Small tensors, shapes among them, stay in the file, where every reader sees them.
        if (!data || bytes.size() < 1024) {
            tensor.set_raw_data(std::move(bytes));
            continue;
        }
        data->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        addExternal(tensor, location, offset, bytes.size());
        offset += bytes.size();
    }
}

Result<void> write(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    onnx::ModelProto model;
    model.set_ir_version(kIrVersion);
    model.set_producer_name("stagecraft");
    auto &opset = *model.add_opset_import();
    opset.set_domain("");
    opset.set_version(kOpset);
    onnx::GraphProto &proto = *model.mutable_graph();
    proto.set_name(graph.name().empty() ? "graph" : graph.name());
    for (const TensorId id : graph.inputs())
        describe(graph.tensor(id), *proto.add_input());
    for (const TensorId id : graph.outputs())
        describe(graph.tensor(id), *proto.add_output());
    const auto written = writeNodes(graph, proto);
    if (!written)
        return tl::unexpected(written.error());

    std::uint64_t bytes = 0;
    for (const Parameter &parameter : written->weights)
        bytes += static_cast<std::uint64_t>(parameter.shape.elements()) * sizeof(float);
    std::filesystem::path dataPath = path;
    dataPath += ".data";
    std::optional<PendingFile> data;
    if (bytes > options.externalAboveBytes)
        data.emplace(dataPath);
    addWeights(*written, proto, data ? &data->stream() : nullptr, dataPath.filename().string());

    PendingFile file(path);
    const bool serialized = model.SerializeToOstream(&file.stream());
    if (auto closed = file.close(); !closed || !serialized)
        return closed ? fail(ErrorCode::InvalidInput, "the model does not fit into one ONNX message") : closed;
    if (data) {
        if (auto ok = data->close().and_then([&] { return data->publish(); }); !ok)
            return ok;
    }
    return file.publish();
}

} // namespace

Result<void> exportOnnx(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    try {
        if (auto written = write(graph, path, options); !written)
            return within(path.string(), std::move(written.error()));
        return {};
    } catch (const std::exception &exception) { // protobuf and the standard library
        return within(path.string(), Error{ErrorCode::InvalidInput, exception.what(), {}, {}});
    }
}

} // namespace stagecraft
