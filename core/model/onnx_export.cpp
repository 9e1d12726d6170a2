#include "model/onnx_export.h"

#include "model/onnx/write/model_writer.h"
#include "support/output_file.h"

#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <limits>
#include <new>
#include <onnx/onnx_pb.h>
#include <optional>

namespace stagecraft {
namespace {

void addExternal(onnx::TensorProto &tensor, const std::string &location, std::uint64_t offset, std::uint64_t length)
{
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&](const char *key, std::string value) {
        auto &added = *tensor.add_external_data();
        added.set_key(key);
        added.set_value(std::move(value));
    };
    entry("location", location);
    entry("offset", fmt::to_string(offset));
    entry("length", fmt::to_string(length));
}

std::uint64_t bytesOf(const std::vector<WrittenWeight> &weights)
{
    std::uint64_t bytes = 0;
    for (const WrittenWeight &weight : weights)
        bytes += static_cast<std::uint64_t>(weight.parameter.shape.elements()) * sizeof(float);
    return bytes;
}

// Large weights go to `data`, the file at `location`, if there is one; the answer is how many bytes.
Result<std::uint64_t> addWeights(const WrittenModel &model, OutputFile *data, const std::string &location)
{
    std::uint64_t offset = 0;
    for (const WrittenWeight &weight : model.weights) {
        onnx::TensorProto &tensor = *model.proto->mutable_graph()->add_initializer();
        TRY(fillWeight(weight, tensor));
        if (!data || weight.stored || tensor.raw_data().size() < kSmallWeightBytes)
            continue;
        const std::string bytes = std::move(*tensor.mutable_raw_data());
        tensor.clear_raw_data();
        TRY(data->write(bytes));
        addExternal(tensor, location, offset, bytes.size());
        offset += bytes.size();
    }
    return offset;
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

Result<OnnxExported> write(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    TRY_AS(const auto model, writeModel(graph, options));
    TRY_AS(auto file, OutputFile::create(path));
    const std::filesystem::path dataPath = dataFileOf(path);
    std::optional<OutputFile> data;
    if (bytesOf(model.weights) > options.externalAboveBytes &&
        !file.isDirect()) { // a pipe has no folder for a second file
        auto may = options.announce ? options.announce(dataPath, bytesOf(model.weights)) : Result<void>();
        TRY_AS(auto beside, may.and_then([&] { return OutputFile::create(dataPath); }));
        data.emplace(std::move(beside));
    }
    TRY_AS(const auto dataBytes, addWeights(model, data ? &*data : nullptr, dataPath.filename().string()));
    TRY(serialize(*model.proto, file));
    OnnxExported exported{data ? std::size_t{2} : std::size_t{1}, model.proto->ByteSizeLong(), model.nodes};
    if (data) {
        exported.bytes += dataBytes;
        TRY(data->publish());
    }
    TRY(file.publish());
    return exported;
}

} // namespace

std::filesystem::path dataFileOf(std::filesystem::path path)
{
    return path += ".data";
}

Result<OnnxExported> exportOnnx(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    try {
        auto written = write(graph, path, options);
        if (!written)
            return within(path.string(), std::move(written.error()));
        return written;
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
