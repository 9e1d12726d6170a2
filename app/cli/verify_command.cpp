// verify: whether a plan can go wrong, and which wait is missing.

#include "answers/verify_answer.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/print_answer.h"
#include "cli/scheduled_model.h"
#include "cli/verify_text.h"
#include "flow/verify_plan.h"
#include "results/files/schedule_json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

struct VerifyOptions {
    ModelOptions model;
    std::vector<std::string> plans;
};

// The model that plans are verified with, opened once for those that follow each other at one batch.
class ModelOfPlans {
public:
    explicit ModelOfPlans(const ModelOptions &options) : m_options(options) {}

    // At the batch that a schedule file was made for. Null: the plan needs none.
    Result<const Model *> openFor(const PlanFile &plan)
    {
        if (!needsModel(plan.kind))
            return nullptr;
        if (m_options.request.spec.empty())
            return within(plan.file.path,
                          fail(ErrorCode::WrongUse,
                               fmt::format("it is {}, which is verified with its model", wordsFor(plan.kind)),
                               "Name the model with --model")
                              .value());
        const bool isSchedule = plan.kind == PlanKind::Schedule;
        const auto batch = isSchedule ? batchOfSchedule(plan.file.bytes) : std::nullopt;
        if (m_model && batch == m_batch)
            return &*m_model;
        if (isSchedule) {
            TRY_AS(auto opened, openForSchedule(m_options, plan.file.path));
            m_model = std::move(opened.model);
        } else {
            TRY_AS(m_model, m_options.open());
        }
        m_batch = batch;
        return &*m_model;
    }

private:
    const ModelOptions &m_options;
    std::optional<Model> m_model;
    std::optional<std::int64_t> m_batch; // of the schedule file for which it was opened
};

Result<void> verify(const VerifyOptions &options, CommandLine &line)
{
    answers::Verify answer;
    ModelOfPlans models(options.model);
    const auto listening = line.listen();
    for (const std::string &path : options.plans) {
        TRY_AS(auto plan, openPlan(path, line.stop));
        TRY_AS(const Model *const model, models.openFor(plan));
        if (model)
            answer.model = model->name;
        TRY_AS(auto verified, verifyPlan(std::move(plan), model, line.stop));
        answer.faults += verified.faults.size();
        answer.plans.push_back({path, std::move(verified)});
        if (!line.json)
            printVerified(answer.plans.back());
    }
    if (line.json)
        printAnswer(answer);
    line.status = answer.faults == 0 ? 0 : 1;
    return {};
}

} // namespace

void addVerifyCommand(CLI::App &app, CommandLine &line)
{
    auto *command =
        app.add_subcommand("verify", "Check whether a plan can go wrong, and name the wait that is missing");
    const auto options = std::make_shared<VerifyOptions>();
    command
        ->add_option(
            "PLAN", options->plans,
            "with --model: a schedule file of this program or the public IOS project, streams of ONNX Runtime "
            "(streams.json of export --format onnxruntime), a CUDA graph as cudaGraphDebugDotPrint writes it, or "
            "a trace of the PyTorch profiler or another profile with starts; without: a file of launches "
            "(\"kind\": \"launches\") of any program")
        ->required()
        ->expected(1, -1);
    options->model.addAsOptionTo(*command);
    command->footer(
        "In a script: stagecraft-cli verify streams.schedule.json --model model.onnx ends with status 1 where a "
        "fault was found.\n" +
        command->get_footer());
    command->callback([&line, options] { line.command = [&line, options] { return verify(*options, line); }; });
}

} // namespace stagecraft
