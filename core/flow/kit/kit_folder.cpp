#include "flow/kit/kit_folder.h"

#include "device/worker/request_bytes.h"
#include "flow/kit/kit_readme.h"
#include "schedule/stage_signature.h"
#include "support/output_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json &json, int indent = -1)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n'; // names are bytes
}

// A name without what a file's may not have.
std::string fileName(std::string name)
{
    for (char &letter : name) {
        if (letter == '/' || static_cast<unsigned char>(letter) < ' ')
            letter = '_';
    }
    return name + ".latencies.jsonl";
}

Json kitJson(const KitContents &contents, const WrittenKit &kit)
{
    const Model &model = contents.model;
    return {{"format", "stagecraft-kit"},
            {"version", 1},
            {"model", model.name},
            {"model_sha256", model.sha256},
            {"batch", model.graph->batch()},
            {"device", contents.device},
            {"round", kit.round},
            {"stages", kit.stages},
            {"recording", kit.recording}};
}

// The lines of the recording that the stage's answer makes.
Json linesOf(const Graph &graph, const KitStage &asked, const std::string &signature)
{
    Json lines = Json::array();
    const auto add = [&](const Stage &stage) {
        lines.push_back({{"strategy", toString(stage.strategy)},
                         {"groups", operatorNames(graph, stage)},
                         {"signature", signature}});
    };
    add(asked.stage);
    for (const Stage &stage : asked.equal)
        add(stage);
    return lines;
}

Result<void> writeStages(const KitContents &contents, const std::filesystem::path &folder, WrittenKit &kit)
{
    const Graph &graph = *contents.model.graph;
    TRY_AS(auto requests, OutputFile::create(folder / "stages.bin"));
    TRY_AS(auto lines, OutputFile::create(folder / "stages.jsonl"));
    StageSigner signer(graph);
    for (const KitStage &asked : contents.plan.stages) {
        TRY_AS(const auto bytes, stageRequestBytes(graph, asked.stage, ++kit.stages, contents.python));
        TRY(requests.write(bytes));
        TRY(lines.write(dumped(linesOf(graph, asked, signer.sign(asked.stage).toHex()))));
        kit.places += 1 + asked.equal.size();
    }
    TRY(requests.publish(Flush::Later));
    return lines.publish(Flush::Later);
}

// What earlier kits measured, without what this one measures again.
RecordedLatencies carriedOn(const KitContents &contents, std::int64_t round)
{
    RecordedLatencies recording = *contents.before;
    if (!recording.kit)
        recording.kit.emplace();
    recording.kit->modelHash = contents.model.sha256;
    recording.kit->round = round;
    std::set<std::string> again;
    const auto add = [&](const Stage &stage) {
        again.insert(recordKey(stage.strategy, operatorNames(*contents.model.graph, stage)));
    };
    const std::vector<KitStage> &stages = contents.plan.stages;
    for (std::size_t i = stages.size() - contents.plan.again; i < stages.size(); ++i) {
        add(stages[i].stage);
        std::ranges::for_each(stages[i].equal, add);
    }
    std::erase_if(recording.stages,
                  [&](const RecordedStage &stage) { return again.contains(recordKey(stage.strategy, stage.groups)); });
    return recording;
}

Result<void> writeInto(const std::filesystem::path &folder, const KitContents &contents, WrittenKit &kit)
{
    const auto put = [&](const std::string &name, const std::string &text) {
        return writeFile(folder / name, text, Flush::Later);
    };
    TRY_AS(const auto open, openRequestBytes(contents.device, *contents.model.graph, contents.python));
    TRY(put("open.bin", open));
    TRY(writeStages(contents, folder, kit));
    TRY(put("kit.json", dumped(kitJson(contents, kit), 2)));
    TRY(put("stagecraft_pytorch.py", contents.workerText));
    TRY(put("README.md", kitReadme(contents.model, kit, contents.device)));
    if (!contents.before)
        return {};
    return put(kit.recording, toText(carriedOn(contents, kit.round)));
}

} // namespace

Result<WrittenKit> writeKit(const KitContents &contents, const std::filesystem::path &path)
{
    TRY_AS(auto folder, ExportFolder::create(path));
    WrittenKit kit;
    kit.recording = fileName(contents.model.name);
    if (contents.before)
        kit.round = contents.before->kit ? contents.before->kit->round + 1 : 2;
    if (auto written = writeInto(folder.beside(), contents, kit); !written)
        return within(path.string(), std::move(written.error()));
    TRY_AS(kit.folder, folder.publish());
    return kit;
}

} // namespace stagecraft
