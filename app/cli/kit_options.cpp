#include "cli/kit_options.h"

#include "cli/option_checks.h"
#include "cli/text_table.h"
#include "device/pytorch/pytorch_options.h"
#include "device/worker/transports/pytorch.h"
#include "support/number_text.h"
#include "support/shown_text.h"
#include "wiring/pytorch_worker.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace stagecraft {

void KitOptions::addTo(CLI::App &command, const std::string &prefix)
{
    command
        .add_option(
            prefix + "stages", stages,
            "at most N different stages in the kit: what a round may take there, at some hundredths of a second "
            "each")
        ->type_name("N")
        ->check(wholeNumber(1, 1'000'000))
        ->capture_default_str();
    command
        .add_option(prefix + "like", like,
                    "simulated devices that are like the one there, as in sim:a100,sim:h100: they say what is worth "
                    "measuring (default: sim:a100)")
        ->type_name("DEVICES")
        ->delimiter(',');
}

Result<KitPlanRequest> KitOptions::request(const SearchOptions &search) const
{
    constexpr std::string_view kSimulated = "sim:";
    KitPlanRequest request{search, {}, stages};
    for (const std::string &id : like) {
        if (!id.starts_with(kSimulated))
            return fail(ErrorCode::WrongUse, fmt::format("{} is not a simulated device", id),
                        "Name some of those that stagecraft-cli devices lists as sim:");
        request.like.push_back(id.substr(kSimulated.size()));
    }
    return request;
}

Result<void> checkKitDevice(const std::string &id)
{
    if (id.empty())
        return {};
    return pytorchOptionsFrom(id).map([](const PytorchOptions &) {});
}

KitProgress kitProgress()
{
    return [](const std::string &step, std::size_t chosen) {
        showProgress({"plan the kit", counted(static_cast<std::int64_t>(chosen), "stage"), step});
    };
}

Result<WrittenKit> writeKitOf(const Model &model, const KitPlan &plan, const std::string &device,
                              const RecordedLatencies *before, const std::string &folder)
{
    return writeKit({model, plan, device, before, pytorchWorkerText(), pythonMaker()}, folder);
}

std::string kitText(const WrittenKit &kit, const Model &model, const std::string &folder)
{
    return fmt::format("wrote {} ({} in {}): round {}, {} to measure\n"
                       "there: python3 stagecraft_pytorch.py kit .\n"
                       "then here: stagecraft-cli optimize {} --batch {} -d rec:{}/{} --kit-next\n",
                       shownText(folder), counted(static_cast<std::int64_t>(kit.folder.files), "file"),
                       plainBytes(static_cast<double>(kit.folder.bytes)), kit.round,
                       counted(static_cast<std::int64_t>(kit.stages), "stage"), shownText(model.source),
                       model.graph->batch(), shownText(folder), shownText(kit.recording));
}

} // namespace stagecraft
