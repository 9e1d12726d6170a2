#include "model/onnx/read/read_graph.h"

#include "model/onnx/file/graph_file.h"
#include "model/onnx/read/check_node.h"
#include "model/onnx/read/graph_reader.h"
#include "model/onnx/read/graph_rewriter.h"
#include "model/onnx/read/inline_functions.h"
#include "model/onnx/read/sparse_tensors.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

// `known`: of the last reading.
Result<SourceGraph> readAtSomeSize(const std::shared_ptr<onnx::ModelProto> &model, GraphFile &file,
                                   const std::string &name, const std::filesystem::path &folder,
                                   const OpenRequest &request, FoldBudget &folding, KnownNodes &known,
                                   std::int64_t &opset)
{
    if (request.batch > 0 && mayBeOneImage(model->graph())) {
        OpenRequest asItIs = request;
        asItIs.batch = 0;
        GraphReader reader(model, file, name, folder, asItIs, assumedSizes().front(), folding);
        auto source = reader.read();
        if (source && source->graph.batch() == 1) {
            known = reader.known();
            opset = reader.opset();
            const Tensor &image = source->graph.tensor(source->graph.inputs().front());
            return request.batch == 1 ? std::move(source) : within("input " + image.name, oneImage(image.shape));
        }
    }
    std::optional<Error> first;
    for (const AssumedSizes &sizes : assumedSizes()) {
        GraphReader reader(model, file, name, folder, request, sizes, folding);
        auto source = reader.read();
        known = reader.known();
        opset = reader.opset();
        if (source || source.error().code == ErrorCode::Cancelled)
            return source;
        if (!first)
            first = std::move(source.error());
        if (!reader.assumedSizes())
            break;
    }
    return tl::unexpected(std::move(*first));
}

WorkAmount amountOf(const onnx::ModelProto &model)
{
    std::int64_t nodes = rewriting::nodesIn(model.graph().node());
    for (const auto &function : model.functions())
        nodes += rewriting::nodesIn(function.node());
    WorkAmount amount = opening::times(nodes, opening::kWrittenNode);
    amount.bytes += static_cast<std::int64_t>(model.ByteSizeLong());
    return amount;
}

} // namespace

Result<SourceGraph> readOnnxGraph(const std::shared_ptr<onnx::ModelProto> &model, const std::string &name,
                                  const std::filesystem::path &folder, const OpenRequest &request)
{
    onnx::GraphProto &graph = *model->mutable_graph();
    WorkBudget &work = *request.budget;
    bool isEntitled = false;
    const auto entitle = [&] { // to write out as much again, where anything is
        if (!std::exchange(isEntitled, true))
            work.add(amountOf(*model));
    };
    std::map<std::string, std::int64_t> written;
    if (model->functions_size() > 0)
        entitle();
    TRY(inlineFunctions(*model, work, written));
    TRY(writeSparseTensorsOut(graph, folder, work));
    for (const auto &node : graph.node()) {
        TRY(checkNodesWithin(node, opsetOf(*model)));
    }
    constexpr int kDeepest = 64; // nodes that stand for others, within such or behind them
    GraphFile::Constants constants;
    FoldBudget folding(work);
    for (int depth = 0;; ++depth) {
        TRY_AS(auto file, GraphFile::open(graph, folder));
        file.give(constants);
        KnownNodes known(work);
        std::int64_t opset = 0;
        auto source = readAtSomeSize(model, file, name, folder, request, folding, known, opset);
        const bool isStopped = !source && source.error().code == ErrorCode::Cancelled;
        constants = known.isEmpty() ? GraphFile::Constants() : file.take();
        if (!known.isEmpty())
            entitle();
        if (isStopped || known.isEmpty() || depth == kDeepest ||
            !work.take(opening::times(graph.node_size(), opening::kReadNode)) ||
            !known.writeOut(graph, opset, written)) {
            if (source)
                source->report.writtenOut = std::move(written);
            return source;
        }
    }
}

} // namespace stagecraft
