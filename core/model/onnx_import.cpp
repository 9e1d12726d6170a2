#include "model/onnx_import.h"

#include "model/onnx/graph_reader.h"
#include "model/read_file.h"
#include "model/sha256.h"

#include <exception>
#include <limits>
#include <new>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::numeric_limits<int>::max(); // what a protobuf message can hold

Result<onnx::ModelProto> parse(const std::string &bytes)
{
    onnx::ModelProto model;
    const bool complete = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    const bool looksLikeOnnx =
        model.has_ir_version() && (model.has_graph() || model.opset_import_size() > 0 || model.has_producer_name());
    if (!complete && looksLikeOnnx)
        return fail(ErrorCode::InvalidInput, "the file is cut short or damaged", "Export or download the model again");
    if (!complete || (!looksLikeOnnx && !model.has_graph()))
        return fail(ErrorCode::InvalidInput, "this is not an ONNX file", "Open an .onnx file or an IOS .json graph");
    if (!model.has_graph() || model.graph().node_size() == 0)
        return fail(ErrorCode::InvalidInput, "the file has no graph, or a graph without operators",
                    "Export or download the model again");
    return model;
}

} // namespace

Result<SourceGraph> importOnnxBytes(std::string bytes, const std::string &name, const std::filesystem::path &folder,
                                    const OnnxImportOptions &options)
{
    if (options.batch < 0)
        return fail(ErrorCode::WrongUse, "a batch of " + std::to_string(options.batch) + " makes no sense",
                    "Choose a batch size of at least 1");
    if (bytes.empty())
        return fail(ErrorCode::InvalidInput, "the file is empty", "Export or download the model again");
    if (bytes.size() > kMaxFileBytes)
        return fail(ErrorCode::InvalidInput, "the file is too large for one ONNX message",
                    "Keep weights in external data files beside the model");
    try {
        auto model = parse(bytes);
        if (!model)
            return tl::unexpected(std::move(model.error()));
        std::string digest = sha256(bytes);
        std::string().swap(bytes); // everything is in the message now
        const auto file = std::make_shared<onnx::ModelProto>(std::move(*model));
        auto source = readOnnxGraph(file, name, folder, options);
        if (source)
            source->sha256 = std::move(digest);
        return source;
    } catch (const std::bad_alloc &) {
        return fail(ErrorCode::InvalidInput, "there is not enough memory to read the file",
                    "Use a smaller model, or a machine with more memory");
    } catch (const std::exception &exception) { // protobuf and the standard library, on files made to exhaust memory
        return fail(ErrorCode::InvalidInput, std::string("the file cannot be read: ") + exception.what());
    }
}

Result<SourceGraph> importOnnx(const std::filesystem::path &path, const OnnxImportOptions &options)
{
    auto bytes = readFile(path, kMaxFileBytes);
    if (!bytes)
        return within(path.string(), std::move(bytes.error()));
    auto source = importOnnxBytes(std::move(*bytes), path.stem().string(), path.parent_path(), options);
    if (!source)
        return within(path.string(), std::move(source.error()));
    return source;
}

} // namespace stagecraft
