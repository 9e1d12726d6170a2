#include "model/onnx_export.h"

#include "model/onnx/model_writer.h"

#include <exception>
#include <fstream>
#include <onnx/onnx_pb.h>
#include <optional>
#include <unistd.h>

namespace stagecraft {
namespace {

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

std::uint64_t bytesOf(const std::vector<WrittenWeight> &weights)
{
    std::uint64_t bytes = 0;
    for (const WrittenWeight &weight : weights)
        bytes += static_cast<std::uint64_t>(weight.parameter.shape.elements()) * sizeof(float);
    return bytes;
}

// Large ones go to `data`, the file `location`, where there is one.
Result<void> addWeights(const WrittenModel &model, std::ofstream *data, const std::string &location)
{
    std::uint64_t offset = 0;
    for (const WrittenWeight &weight : model.weights) {
        onnx::TensorProto &tensor = *model.proto->mutable_graph()->add_initializer();
        if (auto ok = fillWeight(weight, tensor); !ok)
            return ok;
        if (!data || weight.stored || tensor.raw_data().size() < kSmallWeightBytes)
            continue;
        const std::string bytes = std::move(*tensor.mutable_raw_data());
        tensor.clear_raw_data();
        data->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        addExternal(tensor, location, offset, bytes.size());
        offset += bytes.size();
    }
    return {};
}

// What changes with a file besides its operators.
std::vector<std::string> remarksOn(const WrittenForm &form)
{
    std::vector<std::string> remarks;
    for (const int type : form.origin ? form.types.replaced : std::vector<int>{})
        remarks.push_back("The " + elementTypeName(type) + " numbers of the file are written as float32");
    if (form.types.written == onnx::TensorProto::DOUBLE)
        remarks.emplace_back("The file holds float64 numbers; weights of convolutions and the like are written "
                             "with the digits of float32");
    return remarks;
}

Result<OnnxExported> write(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    const auto model = writeModel(graph, options.origin.get());
    if (!model)
        return tl::unexpected(model.error());
    std::filesystem::path dataPath = path;
    dataPath += ".data";
    std::optional<PendingFile> data;
    if (bytesOf(model->weights) > options.externalAboveBytes)
        data.emplace(dataPath);
    if (auto ok = addWeights(*model, data ? &data->stream() : nullptr, dataPath.filename().string()); !ok)
        return tl::unexpected(std::move(ok.error()));

    PendingFile file(path);
    const bool serialized = model->proto->SerializeToOstream(&file.stream());
    if (auto closed = file.close(); !closed)
        return tl::unexpected(std::move(closed.error()));
    if (!serialized)
        return fail(ErrorCode::InvalidInput, "the model does not fit into one ONNX message");
    if (data) {
        if (auto ok = data->close().and_then([&] { return data->publish(); }); !ok)
            return tl::unexpected(std::move(ok.error()));
    }
    if (auto ok = file.publish(); !ok)
        return tl::unexpected(std::move(ok.error()));
    return OnnxExported{remarksOn(model->form)};
}

} // namespace

Result<OnnxExported> exportOnnx(const Graph &graph, const std::filesystem::path &path, const OnnxExportOptions &options)
{
    try {
        auto written = write(graph, path, options);
        if (!written)
            return within(path.string(), std::move(written.error()));
        return written;
    } catch (const std::exception &exception) { // protobuf and the standard library
        return within(path.string(), Error{ErrorCode::InvalidInput, exception.what(), {}, {}});
    }
}

} // namespace stagecraft
