#include "model/onnx_import.h"

#include "model/onnx/file/stage_metadata.h"
#include "model/onnx/read/input_shapes.h"
#include "model/onnx/read/part_merges.h"
#include "model/onnx/read/read_graph.h"
#include "support/input_file.h"
#include "support/memory_pages.h"
#include "support/release_aside.h"
#include "support/sha256.h"

#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>
#include <limits>
#include <memory>
#include <new>
#include <onnx/onnx_pb.h>
#include <optional>

namespace stagecraft {
namespace {

constexpr std::uintmax_t kMaxFileBytes = std::numeric_limits<int>::max(); // the limit of a protobuf message
constexpr int kBlockBytes = 1 << 18U;
constexpr int kManyNodes = 10'000; // of a message that takes a moment to free
constexpr const char *kKeepApart = "Keep weights in external data files next to the model";

using google::protobuf::Arena;

tl::unexpected<Error> emptyFile()
{
    return fail(ErrorCode::InvalidInput, "the file is empty", "Export or download the model again");
}

tl::unexpected<Error> unforeseen()
{
    return refused("the file is damaged in a way that the program does not know",
                   "Check it with onnx.checker, and export or download it again");
}

// What the library writes to the terminal about a file is in its own words; errors say the same in ours.
void silenceProtobuf()
{
    [[maybe_unused]] static const auto before = google::protobuf::SetLogHandler(nullptr);
}

// The file as it is parsed, hashed on the way: its bytes are never in memory as a whole.
class HashedFile : public google::protobuf::io::CopyingInputStream {
public:
    HashedFile(OpenedFile file, const WorkBudget *work) : m_file(std::move(file)), m_work(work) {}

    int Read(void *buffer, int size) override
    {
        auto got = m_file.read(buffer, static_cast<std::size_t>(size));
        if (auto goesOn = m_work ? m_work->goOn() : Result<void>(); !goesOn)
            got = tl::unexpected(std::move(goesOn.error()));
        if (!got) {
            m_error = std::move(got.error());
            return -1;
        }
        m_sum.add({static_cast<const char *>(buffer), *got});
        return static_cast<int>(*got);
    }

    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    [[nodiscard]] std::string digest() { return m_sum.digest(); }

private:
    OpenedFile m_file;
    const WorkBudget *m_work; // null: it cannot be stopped
    Sha256 m_sum;
    std::optional<Error> m_error;
};

// Allocates millions of small messages together. A pointer to the message keeps all of them alive.
std::shared_ptr<onnx::ModelProto> newMessage()
{
    silenceProtobuf();
    google::protobuf::ArenaOptions options;
    options.max_block_size = std::size_t{1} << 22U;
    options.block_alloc = [](std::size_t bytes) {
        void *block = std::malloc(bytes);
        if (block)
            takePages(block, bytes);
        return block;
    };
    options.block_dealloc = [](void *block, std::size_t) { std::free(block); };
    const auto arena = std::make_shared<Arena>(options);
    return {arena, Arena::CreateMessage<onnx::ModelProto>(arena.get())};
}

Result<void> checkParsed(const onnx::ModelProto &model, bool complete)
{
    const bool looksLikeOnnx =
        model.has_ir_version() && (model.has_graph() || model.opset_import_size() > 0 || model.has_producer_name());
    if (!complete && looksLikeOnnx)
        return fail(ErrorCode::InvalidInput, "the file is cut short or damaged", "Export or download the model again");
    if (!complete || (!looksLikeOnnx && !model.has_graph()))
        return fail(ErrorCode::InvalidInput, "this is not an ONNX file", "Open an .onnx file or an IOS .json graph");
    if (!model.has_graph() || model.graph().node_size() == 0)
        return fail(ErrorCode::InvalidInput, "the file has no graph, or a graph without operators",
                    "Export or download the model again");
    return {};
}

// Returns the digest of the file.
Result<std::string> parseFile(const std::filesystem::path &path, onnx::ModelProto &model,
                              const WorkBudget *work = nullptr)
{
    auto opened = OpenedFile::open(path, kMaxFileBytes);
    if (!opened && opened.error().remedy.empty())
        opened.error().remedy = kKeepApart;
    TRY(opened);
    if (opened->sizeBytes() == 0)
        return emptyFile();
    HashedFile file(std::move(*opened), work);
    google::protobuf::io::CopyingInputStreamAdaptor stream(&file, kBlockBytes);
    const bool complete = model.ParseFromZeroCopyStream(&stream);
    if (file.error())
        return tl::unexpected(*file.error());
    TRY(checkParsed(model, complete));
    return file.digest();
}

struct StagesOfFile {
    std::string schedule;
    std::string note; // why there is none, although the file states one
};

// Takes what the file states about stages out of it, and its merged operators apart.
StagesOfFile takeStages(onnx::ModelProto &model, const std::filesystem::path &folder)
{
    std::string schedule = takeMetadata(model, kScheduleKey);
    const std::string merges = takeMetadata(model, kMergesKey);
    if (schedule.empty())
        return {};
    dropStageMetadata(model);
    if (const auto parted = partMerges(model, merges, folder); !parted)
        return {{}, scheduleNote(parted.error())};
    return {std::move(schedule), {}};
}

// `parse(model)` fills the message and returns its digest, or nothing if it failed.
template <typename Parse>
Result<SourceGraph> readModel(const Parse &parse, const std::string &name, const std::filesystem::path &folder,
                              OpenRequest request)
{
    if (!request.budget)
        request.budget = openingBudget();
    if (request.batch < 0)
        return fail(ErrorCode::WrongUse, fmt::format("a batch of {} makes no sense", request.batch),
                    "Choose a batch size of at least 1");
    try {
        auto model = newMessage();
        TRY_AS(auto digest, parse(*model));
        const StagesOfFile stages = takeStages(*model, folder);
        auto source = readOnnxGraph(model, name, folder, request);
        if (!source)
            return source;
        source->sha256 = std::move(digest);
        source->schedule = stages.schedule;
        if (!stages.note.empty())
            source->report.notes.push_back({ImportNote::Severity::Warning, {}, stages.note});
        if (model->graph().node_size() > kManyNodes)
            source->release = releaseAside(std::move(model));
        return source;
    } catch (const std::bad_alloc &) {
        return fail(ErrorCode::InvalidInput, "there is not enough memory to read the file",
                    "Use a smaller model, or a machine with more memory");
    } catch (const std::exception &) { // protobuf and the standard library, on what no check foresaw
        return unforeseen();
    }
}

} // namespace

std::string scheduleNote(const Error &error)
{
    const std::string places = fmt::format("{}{}", fmt::join(error.context, ": "), error.context.empty() ? "" : ": ");
    return fmt::format("The schedule in the file is not used: {}{}", places, error.message);
}

Result<SourceGraph> importOnnxBytes(std::string_view bytes, const std::string &name,
                                    const std::filesystem::path &folder, const OpenRequest &request)
{
    const auto parse = [&](onnx::ModelProto &model) -> Result<std::string> {
        if (bytes.empty())
            return emptyFile();
        if (bytes.size() > kMaxFileBytes)
            return fail(ErrorCode::InvalidInput, "the file is too large for one ONNX message", kKeepApart);
        const bool complete = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
        TRY(checkParsed(model, complete));
        return sha256(bytes);
    };
    return readModel(parse, name, folder, request);
}

Result<SourceGraph> importOnnx(const OpenRequest &request)
{
    const std::filesystem::path path = request.spec;
    const auto parse = [&](onnx::ModelProto &model) { return parseFile(path, model, request.budget.get()); };
    auto source = readModel(parse, path.stem().string(), path.parent_path(), request);
    if (!source)
        return within(path.string(), std::move(source.error()));
    return source;
}

Result<std::vector<OpenInput>> onnxOpenInputs(const std::filesystem::path &path)
{
    try {
        const auto model = newMessage();
        TRY(parseFile(path, *model));
        return openInputsOf(model->graph());
    } catch (const std::exception &) {
        return unforeseen();
    }
}

Result<std::vector<OnnxNodeName>> onnxNodeNames(const std::filesystem::path &path)
{
    try {
        const auto model = newMessage();
        TRY(parseFile(path, *model));
        std::vector<OnnxNodeName> names;
        for (const onnx::NodeProto &node : model->graph().node())
            names.push_back({node.name(), node.op_type() == "Constant"});
        return names;
    } catch (const std::exception &) {
        return unforeseen();
    }
}

} // namespace stagecraft
