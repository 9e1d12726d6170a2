#include "cli/kit_next.h"

#include "answers/kit_answers.h"
#include "cli/print_answer.h"
#include "cli/text_table.h"
#include "flow/kit/kit_recording.h"
#include "flow/open_model.h"
#include "results/schedule_words.h"
#include "search/search_words.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <optional>

namespace stagecraft {
namespace {

std::string countText(std::size_t count, const char *what)
{
    return counted(static_cast<std::int64_t>(count), what);
}

std::string decision(const answers::KitNext &answer)
{
    if (answer.isProved)
        return fmt::format("{}: no stage that was not measured could make it faster; there is no next kit",
                           endingText(answer.search));
    const std::string gap = fmt::format("gap {}", percent(answer.search.gap));
    if (answer.wanted == 0 && answer.disturbed > 0)
        return fmt::format("not proved, {}: the next kit measures again what was disturbed", gap);
    if (answer.wanted == 0)
        return fmt::format("not proved, {}: measuring more stages does not close it", gap);
    const std::string rest = fmt::format("{} could still make it faster, {}", countText(answer.wanted, "stage"), gap);
    return rest + (answer.isLast ? ": the next kit has all of them, and decides" : ": more than one kit takes");
}

void print(const answers::KitNext &answer, const Model &model)
{
    std::cout << fmt::format("{} on {}: {} (recorded), {}, from {} recorded{}\n", answer.model,
                             shownText(answer.device), plainLatency(answer.sumUs), countText(answer.stages, "stage"),
                             countText(answer.measured, "different stage"),
                             answer.refused > 0
                                 ? fmt::format(", {} refused there", grouped(static_cast<std::int64_t>(answer.refused)))
                                 : "")
              << decision(answer) << '\n'
              << gapBasisText(answer.search) << '\n';
    if (answer.disturbed > 0)
        std::cout << fmt::format("{} {} disturbed every time: something else used the machine, or its clocks were held "
                                 "down\n",
                                 countText(answer.disturbed, "stage"), answer.disturbed == 1 ? "was" : "were");
    if (answer.kit)
        std::cout << kitText(*answer.kit, model, answer.folder);
    else if (!answer.isProved && answer.wanted + answer.disturbed > 0)
        std::cout << "-o FOLDER writes the next kit\n";
}

} // namespace

void KitNextOptions::addTo(CLI::App &command)
{
    command.add_flag("--kit-next", isAsked,
                     "with -d rec:FILE of a kit: say whether stages that were not measured could make the schedule "
                     "faster, and write those into the next kit, the folder of -o");
    kit.addTo(command, "--kit-");
}

Result<void> kitNext(const ModelOptions &modelOptions, const std::string &deviceId, const SearchOptions &search,
                     const KitNextOptions &options, const std::string &folder, const CommandLine &line)
{
    TRY_AS(const auto request, options.kit.request(search));
    TRY_AS(const auto model, modelOptions.open());
    TRY_AS(const auto recording, readKitRecording(deviceId, model));
    if (recording.cutLine > 0)
        std::cerr << fmt::format("note: line {} of the recording was cut off, and is left out\n", recording.cutLine);
    if (!folder.empty())
        TRY(ExportFolder::check(folder));
    const auto known = KnownStages::make(model.graph, recording);
    if (!known)
        return within(deviceId, known.error());
    const auto listening = line.listen();
    const auto next = nextKit(model, **known, request, kitProgress(), line.stop);
    endProgress();
    if (!next)
        return within(deviceId, next.error());
    tellRefusals(next->found.refusal, next->found.schedule, "search");
    const SearchRecord &record = next->found.schedule.search;
    answers::KitNext answer{model.name,
                            deviceId,
                            model.graph->batch(),
                            record.sumUs,
                            next->found.schedule.stages.size(),
                            (*known)->size() - (*known)->refused(),
                            (*known)->refused(),
                            (*known)->disturbed().size(),
                            next->isProved,
                            next->wanted,
                            next->plan.isWhole,
                            record};
    if (!folder.empty() && !next->plan.stages.empty()) {
        TRY_AS(answer.kit, writeKitOf(model, next->plan, recording.deviceId, &recording, folder));
        answer.folder = folder;
    }
    if (line.json)
        printAnswer(answer);
    else
        print(answer, model);
    return {};
}

} // namespace stagecraft
