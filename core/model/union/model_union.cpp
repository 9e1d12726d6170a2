#include "model/union/model_union.h"

#include "graph/graph_union.h"
#include "model/built_in.h"
#include "model/model_reader.h"
#include "support/sha256.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace stagecraft {
namespace {

void addReport(const ImportReport &report, const std::string &part, ImportReport &whole)
{
    const auto nameIn = [&](const std::string &name) { return name.empty() ? part : part + "/" + name; };
    for (ImportNote note : report.notes) {
        note.operatorName = nameIn(note.operatorName);
        whole.notes.push_back(std::move(note));
    }
    std::ranges::copy(report.dataFiles, std::back_inserter(whole.dataFiles));
    std::ranges::transform(report.inTraining, std::back_inserter(whole.inTraining), nameIn);
    std::ranges::transform(report.outputs, std::back_inserter(whole.outputs), nameIn);
    for (ConstantOutput output : report.constantOutputs) {
        output.name = nameIn(output.name);
        whole.constantOutputs.push_back(std::move(output));
    }
}

} // namespace

Result<Model> unionOf(std::span<const Model> models)
{
    if (models.size() < 2)
        return fail(ErrorCode::WrongUse, "one model has nothing to run beside", "Name two models");
    std::vector<std::string> names;
    for (const Model &model : models) {
        if (model.graph->size() == 0)
            return within(model.source, Error{ErrorCode::InvalidInput,
                                              "all of its outputs are constants, so nothing of it runs",
                                              "Leave it out",
                                              {}});
        names.push_back(model.name);
    }
    names = distinctNames(std::move(names));
    std::vector<NamedGraph> graphs;
    for (std::size_t i = 0; i < models.size(); ++i)
        graphs.push_back({names[i], models[i].graph.get()});
    GraphUnion joined = unionOf(graphs);
    Model whole;
    std::string hashes;
    for (std::size_t i = 0; i < models.size(); ++i) {
        std::ranges::move(blocksIn(joined.parts[i], models[i].blocks), std::back_inserter(whole.blocks));
        whole.source += (i > 0 ? "+" : "") + models[i].source;
        hashes += models[i].sha256 + toString(models[i].reading) + "\n";
        addReport(models[i].report, names[i], whole.report);
    }
    whole.name = joined.graph.name();
    whole.sha256 = sha256(hashes);
    whole.graph = std::make_shared<const Graph>(std::move(joined.graph));
    whole.parts = std::move(joined.parts);
    whole.costs = costBasis(*whole.graph);
    return whole;
}

std::vector<std::string> specsOfUnion(const std::string &text)
{
    std::error_code ignored;
    if (std::filesystem::exists(text, ignored))
        return {};
    std::vector<std::string> specs;
    std::size_t begin = 0;
    for (std::size_t plus = text.find('+'); plus != std::string::npos; plus = text.find('+', plus + 1)) {
        if (!namesModel(text.substr(begin, plus - begin)))
            continue; // of a file's name
        specs.push_back(text.substr(begin, plus - begin));
        begin = plus + 1;
    }
    if (specs.empty() || !namesModel(text.substr(begin)))
        return {};
    specs.push_back(text.substr(begin));
    return specs;
}

std::string joinedSpecs(std::span<const std::string> specs)
{
    std::string text;
    for (const std::string &spec : specs)
        text += (text.empty() ? "" : "+") + spec;
    return text;
}

std::string absoluteSpec(const std::string &spec)
{
    std::vector<std::string> specs = specsOfUnion(spec);
    if (specs.empty())
        specs.push_back(spec);
    for (std::string &each : specs) {
        std::error_code none;
        const auto absolute = std::filesystem::absolute(each, none);
        if (!isBuiltIn(each) && !none)
            each = absolute.lexically_normal().string();
    }
    return joinedSpecs(specs);
}

} // namespace stagecraft
