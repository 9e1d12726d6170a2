#include "model/onnx_export.h"

#include "graph/parameter_values.h"
#include "model/onnx/node_writer.h"
#include "support/output_file.h"

#include <cstring>
#include <exception>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <limits>
#include <new>
#include <onnx/onnx_pb.h>
#include <optional>
#include <type_traits>

namespace stagecraft {
namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;

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

Result<void> addWeights(const WrittenGraph &written, onnx::GraphProto &proto, OutputFile *data,
                        const std::string &location)
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
        if (auto kept = data->write(bytes); !kept)
            return kept;
        addExternal(tensor, location, offset, bytes.size());
        offset += bytes.size();
    }
    return {};
}

Result<void> serialize(const onnx::ModelProto &model, OutputFile &file)
{
    if (model.ByteSizeLong() > std::numeric_limits<int>::max())
        return fail(ErrorCode::InvalidInput, "the model does not fit into one ONNX message");
    google::protobuf::io::FileOutputStream stream(file.descriptor());
    if (model.SerializeToZeroCopyStream(&stream) && stream.Flush())
        return {};
    return fail(ErrorCode::InvalidInput, std::string("the file cannot be written: ") + std::strerror(stream.GetErrno()),
                "Choose a folder you may write to, with enough space");
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

    auto file = OutputFile::create(path);
    if (!file)
        return tl::unexpected(std::move(file.error()));
    std::uint64_t bytes = 0;
    for (const Parameter &parameter : written->weights)
        bytes += static_cast<std::uint64_t>(parameter.shape.elements()) * sizeof(float);
    const std::filesystem::path dataPath = dataFileOf(path);
    std::optional<OutputFile> data;
    if (bytes > options.externalAboveBytes && !file->isDirect()) { // nothing lies beside a pipe
        auto beside = OutputFile::create(dataPath);
        if (!beside)
            return tl::unexpected(std::move(beside.error()));
        data.emplace(std::move(*beside));
    }
    if (auto added = addWeights(*written, proto, data ? &*data : nullptr, dataPath.filename().string()); !added)
        return added;
    if (auto done = serialize(model, *file); !done)
        return done;
    if (data) {
        if (auto published = data->publish(); !published)
            return published;
    }
    return file->publish();
}

} // namespace

std::filesystem::path dataFileOf(std::filesystem::path path)
{
    return path += ".data";
}

Result<void> exportOnnx(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    try {
        if (auto written = write(graph, path, options); !written)
            return within(path.string(), std::move(written.error()));
        return {};
    } catch (const std::bad_alloc &) {
        return within(path.string(), Error{ErrorCode::InvalidInput,
                                           "there is not enough memory to write the file",
                                           "Use a smaller model, or a machine with more memory",
                                           {}});
    } catch (const std::exception &exception) { // protobuf and the standard library
        return within(path.string(), Error{ErrorCode::InvalidInput, exception.what(), {}, {}});
    }
}

} // namespace stagecraft
