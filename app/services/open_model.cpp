#include "services/open_model.h"

#include "model/built_in.h"
#include "model/ios_json.h"
#include "model/onnx_import.h"
#include "model/source_graph.h"
#include "rewrite/cut_blocks.h"
#include "rewrite/form_units.h"
#include "schedule/schedule_json.h"
#include "support/closest_name.h"
#include "support/output_file.h"

#include <filesystem>
#include <memory>

namespace stagecraft {
namespace {

std::vector<std::string> builtInNames()
{
    std::vector<std::string> names;
    for (const BuiltInNetwork &network : builtInNetworks())
        names.emplace_back(network.name);
    return names;
}

Result<SourceGraph> readSource(const std::string &spec, const OpenOptions &options)
{
    const std::int64_t batch = options.batch;
    if (isBuiltIn(spec))
        return builtInNetwork(spec, {batch == 0 ? 1 : batch, 375});
    const std::string extension = std::filesystem::path(spec).extension().string();
    if (extension == ".json") {
        auto model = readIosJson(spec, batch == 0 ? 1 : batch);
        if (!model)
            return tl::unexpected(std::move(model.error()));
        return std::move(model->source);
    }
    if (extension == ".onnx")
        return importOnnx(spec, {batch, options.keepOrigin});
    if (std::filesystem::exists(spec))
        return within(spec, Error{ErrorCode::InvalidInput,
                                  "this kind of file is not a model",
                                  "Open an .onnx file or an IOS .json graph",
                                  {}});
    return fail(ErrorCode::WrongUse,
                spec.empty() ? std::string("the name of the model is empty")
                             : "there is no built-in network and no file named " + spec,
                didYouMean(spec, builtInNames()) + "Built in are " + listed(builtInNames()) +
                    "; files end in .onnx or .json");
}

// `text`: the schedule that is part of the file, if any. Sets schedule and blocks.
void adoptSchedule(const std::string &text, Model &model)
{
    if (text.empty())
        return;
    auto read = scheduleWithBlocksFromJson(text, *model.graph, {model.name, model.sha256});
    if (!read) {
        model.report.notes.push_back({ImportNote::Severity::Warning, {}, scheduleNote(read.error())});
        return;
    }
    model.schedule = std::move(read->schedule);
    model.blocks = std::move(read->blocks);
}

} // namespace

std::vector<BuiltInModel> builtInModels()
{
    std::vector<BuiltInModel> models;
    for (const BuiltInNetwork &network : builtInNetworks())
        models.push_back({std::string(network.name), std::string(network.title)});
    return models;
}

Result<Model> openModel(const std::string &spec, const OpenOptions &options)
{
    auto source = readSource(spec, options);
    if (!source)
        return tl::unexpected(std::move(source.error()));
    if (!source->unitsFormed) {
        auto units = formUnits(std::move(source->graph), source->keptApart);
        if (!units)
            return within(spec, std::move(units.error()));
        source->graph = std::move(*units);
    }
    Model model;
    model.graph = std::make_shared<const Graph>(std::move(source->graph));
    model.costs = costBasis(*model.graph);
    model.name = isBuiltIn(spec) ? spec : std::filesystem::path(spec).stem().string();
    model.source = spec;
    model.sha256 = std::move(source->sha256);
    model.report = std::move(source->report);
    model.origin = std::move(source->origin);
    adoptSchedule(source->schedule, model);
    if (model.blocks.empty())
        model.blocks = source->blocks.empty() ? cutBlocks(*model.graph) : cutLongBlocks(*model.graph, source->blocks);
    if (auto verified = verifyBlocks(*model.graph, model.blocks); !verified)
        return within(spec, std::move(verified.error()));
    return model;
}

Result<void> refuseOverwritingModel(const std::string &output, const Model &model)
{
    if (auto differs = refuseOverwriting(output, model.source); !isBuiltIn(model.source) && !differs)
        return differs;
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
