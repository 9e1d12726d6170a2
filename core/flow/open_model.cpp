#include "flow/open_model.h"

#include "flow/open/import_outcome.h"
#include "flow/open/schedule_file.h"
#include "flow/open/split_opened.h"
#include "flow/open/unit_blocks.h"
#include "model/built_in.h"
#include "model/model_reader.h"
#include "model/onnx_import.h"
#include "model/rewrite/chosen_blocks.h"
#include "model/rewrite/cut_blocks.h"
#include "model/rewrite/form_units.h"
#include "model/union/model_union.h"
#include "schedule/edit/move_to_blocks.h"
#include "support/closest_name.h"
#include "support/output_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

namespace stagecraft {
namespace {

tl::unexpected<Error> unknownPass(const std::string &name)
{
    std::vector<std::string> known;
    for (const Pass &pass : passes())
        known.emplace_back(pass.name);
    return fail(ErrorCode::WrongUse, "there is no pass named " + name,
                didYouMean(name, known) + "Use " + listed(known, " or "));
}

Result<void> checkRequest(const OpenRequest &request, const SourceGraph &source)
{
    const Reading &reading = request.reading;
    for (const std::string &name : reading.without) {
        if (!findPass(name))
            return unknownPass(name);
    }
    if (source.unitsFormed && (reading.units != Units::Ios || !reading.without.empty() || !reading.apart.empty()))
        return fail(ErrorCode::WrongUse, request.spec + " consists of schedule units already: no pass runs on it",
                    "Leave --units, --without and --apart away, or convert it to ONNX first");
    for (const std::string &name : reading.apart) {
        if (!source.graph.find(name))
            return fail(ErrorCode::InvalidInput, "the file has no operator " + name + ", which is to stay apart",
                        "The names are those of its operators before units are formed: see info --units none");
    }
    if (source.report.outputs.empty() && !reading.sizes.empty())
        return fail(ErrorCode::WrongUse, request.spec + " states the sizes of its inputs: they cannot be chosen",
                    "Leave --shape away");
    return {};
}

// Of names within a union those of one part, as it has them.
template <typename Values>
Values ownOf(const std::string &part, const Values &all)
{
    Values own;
    for (const auto &[name, value] : all) {
        if (name.starts_with(part + "/"))
            own.emplace(name.substr(part.size() + 1), value);
    }
    return own;
}

std::set<std::string> ownNames(const std::string &part, const std::set<std::string> &all)
{
    std::set<std::string> own;
    for (const std::string &name : all) {
        if (name.starts_with(part + "/"))
            own.insert(name.substr(part.size() + 1));
    }
    return own;
}

// Sizes and arrays are of the inputs of the union; the batch is that of each model.
Result<OpenedModel> openUnion(const OpenRequest &asked, const std::vector<std::string> &specs)
{
    const std::vector<std::string> names = namesInUnion(specs);
    std::vector<Model> models;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        OpenRequest request = asked;
        request.spec = specs[i];
        request.reading.sizes = ownOf(names[i], asked.reading.sizes);
        request.reading.splits = ownOf(names[i], asked.reading.splits);
        request.reading.splitByRows = ownNames(names[i], asked.reading.splitByRows);
        request.reading.apart = ownNames(names[i], asked.reading.apart);
        request.reading.joinedAfter.clear();
        request.reading.cutAfter.clear();
        if (asked.given)
            request.given = ownOf(names[i], *asked.given);
        TRY_AS(auto opened, openModel(request));
        models.push_back(std::move(opened.model));
    }
    TRY_AS(auto whole, unionOf(models));
    whole.reading = asked.reading;
    return OpenedModel{std::move(whole), {}};
}

} // namespace

std::string nameOfModel(const std::string &spec)
{
    if (!isBuiltIn(spec))
        return std::filesystem::path(spec).stem().string();
    const auto generated = generatedSpec(spec);
    return generated ? generated->text() : spec;
}

std::vector<std::string> namesInUnion(const std::vector<std::string> &specs)
{
    std::vector<std::string> names;
    std::ranges::transform(specs, std::back_inserter(names), nameOfModel);
    return distinctNames(std::move(names));
}

std::vector<BuiltInModel> builtInModels()
{
    std::vector<BuiltInModel> models;
    for (const BuiltInNetwork &network : builtInNetworks())
        models.push_back({std::string(network.name), std::string(network.title), {}});
    for (const Generator &generator : generators())
        models.push_back({std::string(generator.name),
                          std::string(generator.title),
                          {generator.parameters.begin(), generator.parameters.end()}});
    return models;
}

std::optional<ModelFile> onnxFileOf(const Model &model)
{
    if (!model.parts.empty() || std::filesystem::path(model.source).extension() != ".onnx")
        return std::nullopt;
    return ModelFile{std::filesystem::absolute(model.source).string(), model.sha256, model.reading};
}

namespace {

Result<OpenedModel> openWhole(OpenRequest request)
{
    const std::string &spec = request.spec;
    if (!request.budget)
        request.budget = openingBudget();
    TRY_AS(auto source, readModel(request));
    TRY(checkRequest(request, source));
    const bool isEmpty = source.graph.size() == 0; // of a model whose outputs are constants
    if (!source.unitsFormed && !isEmpty) {
        const ImportOutcome outcome(source);
        const UnitBlocks blocks(source.graph, source.blocks);
        auto units = formUnits(std::move(source.graph), source.keptApart, request.reading, request.budget.get());
        if (!units)
            return within(spec, std::move(units.error()));
        source.graph = std::move(units->graph);
        source.blocks = blocks.of(source.graph);
        outcome.count(units->reports, source);
        std::ranges::move(units->reports, std::back_inserter(source.report.passes));
    }
    TRY(request.budget->goOn());
    OpenedModel opened;
    Model &model = opened.model;
    model.graph = std::make_shared<const Graph>(std::move(source.graph));
    model.costs = costBasis(*model.graph);
    model.name = nameOfModel(spec);
    model.source = spec;
    model.sha256 = std::move(source.sha256);
    model.report = std::move(source.report);
    model.onnx = std::move(source.onnx);
    model.reading = request.reading;
    if (isEmpty)
        return opened;
    opened.embedded = embeddedSchedule(source, model);
    if (model.blocks.empty())
        model.blocks = source.blocks.empty() ? cutBlocks(*model.graph) : cutLongBlocks(*model.graph, source.blocks);
    if (auto verified = verifyBlocks(*model.graph, model.blocks); !verified)
        return within(spec, std::move(verified.error()));
    return opened;
}

// The schedule in its file stays where its stages are in one block each.
Result<void> chooseBlocks(OpenedModel &opened, const Reading &reading)
{
    Model &model = opened.model;
    TRY_AS(model.blocks, chosenBlocks(*model.graph, std::move(model.blocks), reading));
    if (!opened.embedded)
        return {};
    auto moved = movedToBlocks(*model.graph, model.blocks, std::move(*opened.embedded));
    opened.embedded.reset();
    if (moved)
        opened.embedded = std::move(*moved);
    else
        model.report.notes.push_back({ImportNote::Severity::Warning, {}, scheduleNote(moved.error())});
    return {};
}

} // namespace

Result<OpenedModel> openModel(const OpenRequest &request)
{
    const auto specs = specsOfUnion(request.spec);
    auto opened = specs.empty() ? openWhole(request) : openUnion(request, specs);
    if (opened && specs.empty() && !request.reading.splits.empty()) {
        if (auto split =
                splitOpened(opened->model, opened->embedded, request.reading.splits, request.reading.splitByRows);
            !split)
            return within(request.spec, std::move(split.error()));
    }
    if (opened && request.reading.hasChosenBlocks()) {
        if (auto chosen = chooseBlocks(*opened, request.reading); !chosen)
            return within(request.spec, std::move(chosen.error()));
    }
    return opened;
}

std::vector<OpenInput> openInputsOf(const std::string &spec)
{
    if (!spec.ends_with(".onnx"))
        return {};
    return onnxOpenInputs(spec).value_or(std::vector<OpenInput>());
}

Result<void> refuseOverwritingModel(const std::string &output, const Model &model)
{
    const auto specs = model.parts.empty() ? std::vector{model.source} : specsOfUnion(model.source);
    for (const std::string &spec : specs) {
        if (!isBuiltIn(spec))
            TRY(refuseOverwriting(output, spec));
    }
    for (const std::string &file : model.report.dataFiles) {
        if (auto differs = refuseOverwriting(output, file); !differs)
            return differs;
    }
    return {};
}

tl::unexpected<Error> withinModel(const Model &model, Error error)
{
    if (error.code != ErrorCode::InvalidInput)
        return tl::unexpected(std::move(error));
    return within(model.source, std::move(error));
}

} // namespace stagecraft
