#include "cli/compare_files.h"

#include "answers/recorded_answer.h"
#include "cli/print_answer.h"
#include "cli/recorded_report.h"
#include "cli/scheduled_model.h"
#include "export/recorded_documents.h"
#include "flow/compare_recorded.h"
#include "model/built_in.h"
#include "results/recorded_comparison_words.h"
#include "support/output_file.h"
#include "support/text_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::array kFormats{std::pair{"text", FileKind::Other}, std::pair{"markdown", FileKind::Markdown},
                              std::pair{"junit", FileKind::JUnit}};

std::optional<FileKind> kindOf(const std::string &format)
{
    const auto *const found = std::ranges::find_if(kFormats, [&](const auto &known) { return known.first == format; });
    return found == kFormats.end() ? std::nullopt : std::optional(found->second);
}

Result<void> checkFormat(const CompareFilesOptions &options, const CommandLine &line)
{
    const auto kind = kindOf(options.format);
    if (!kind)
        return unknownValue("--format", options.format, {"text", "markdown", "junit"});
    if (kind == FileKind::Other && !options.output.empty())
        return fail(ErrorCode::WrongUse, "-o: text is for the terminal", "Use --format markdown or --format junit");
    if (kind != FileKind::Other && options.output.empty() && line.json)
        return fail(ErrorCode::WrongUse, "--json and --format " + options.format + " both ask for standard output",
                    "Name a file for one of them with -o");
    return {};
}

Result<std::vector<RecordedFile>> openFiles(const std::vector<std::string> &names, const CompareFilesOptions &options,
                                            const CommandLine &line)
{
    std::vector<RecordedFile> files;
    for (const std::string &name : names) {
        if (isBuiltIn(name))
            return fail(ErrorCode::WrongUse, name + " is a model, and files are compared with each other",
                        "Give compare two files and --model " + name + ", or one model with --schedule FILE");
        TRY_AS(auto file, openRecordedFile(name, line.stop));
        for (const ProfileFile &part : file.files) {
            if (!options.output.empty() && options.output != kStandardOutput) {
                TRY(refuseOverwriting(options.output, part.path));
            }
        }
        files.push_back(std::move(file));
    }
    return files;
}

// That of --model, or the built-in one that a schedule file names, at the batch of the first schedule file.
Result<Model> openModelOf(const std::vector<RecordedFile> &files, const CompareFilesOptions &options,
                          ModelOptions model)
{
    model.request.spec = options.model;
    const auto schedule = std::ranges::find(files, false, &RecordedFile::isProfile);
    if (model.request.spec.empty() && schedule != files.end() && schedule->model && isBuiltIn(*schedule->model))
        model.request.spec = *schedule->model;
    if (model.request.spec.empty())
        return fail(ErrorCode::WrongUse, "these files are compared operator by operator, which needs their model",
                    "Name it with --model");
    if (schedule == files.end())
        return model.open();
    TRY_AS(auto opened, openForSchedule(model, schedule->path()));
    return std::move(opened.model);
}

// --fail-below judges what carries noise by its repeats.
Result<void> checkJudged(const RecordedComparison &comparison)
{
    for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
        const RecordedChange &change = comparison.changes[i];
        const std::string &name = comparison.results[i + 1].name;
        if (!change.judged)
            return within(name, fail(ErrorCode::InvalidInput, "--fail-below: it is " + judgedWords(change),
                                     "Give files whose latencies are of the same device and batch")
                                    .value());
        if (change.judged->by == JudgedBy::Single)
            return within(name, fail(ErrorCode::InvalidInput,
                                     fmt::format("--fail-below: it or {} has fewer than {} runs, so noise is not told "
                                                 "from a difference",
                                                 comparison.results.front().name, kRoundsForVerdict),
                                     "Record more runs of the model: 20 or more find a difference of 10 %")
                                    .value());
    }
    return {};
}

answers::CompareFiles answerOf(const RecordedComparison &comparison, std::optional<double> failBelow)
{
    answers::CompareFiles answer{comparison.model, {}, failBelow};
    for (std::size_t i = 0; i < comparison.results.size(); ++i) {
        answers::RecordedInFile &file = answer.files.emplace_back();
        file.result = comparison.results[i];
        if (i == 0)
            continue;
        file.change = comparison.changes[i - 1];
        if (failBelow)
            file.isPassed = !file.change->isBelow(*failBelow);
    }
    return answer;
}

Result<void> writeDocument(const RecordedComparison &comparison, const CompareFilesOptions &options,
                           std::optional<double> failBelow)
{
    const bool isJUnit = kindOf(options.format) == FileKind::JUnit;
    return writeTextFile(options.output.empty() ? kStandardOutput : options.output,
                         isJUnit ? recordedJUnit(comparison, failBelow) : recordedMarkdown(comparison, failBelow));
}

} // namespace

void CompareFilesOptions::addTo(CLI::App &command, CommandLine &line)
{
    command.add_option("FILE", files,
                       "compare files instead of a model: schedule files and profiles (see profile) with their own "
                       "latencies, against the first, which stands in the place of MODEL; nothing is measured. Files "
                       "that make one profile with commas between them");
    command
        .add_option("-m,--model", model,
                    "of the files: a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an IOS "
                    ".json graph; without, the "
                    "built-in one that a schedule file names")
        ->type_name("MODEL");
    command
        .add_option("--format", format,
                    "of files that are compared: text, markdown (a comment for a pull request) or junit (a report of "
                    "tests in XML)")
        ->type_name("DOCUMENT")
        ->capture_default_str();
    addOutputTo(command, line, output, "write the comparison of files to this file, in the format of --format",
                [this] { return kindOf(format); });
}

Result<void> CompareFilesOptions::checkWithoutFiles(const CLI::App &command) const
{
    for (const char *option : {"--model", "--format", "--output"}) {
        if (command.count(option) > 0)
            return fail(ErrorCode::WrongUse, std::string(option) + " is about files that are compared",
                        "Name two files or more: compare A B --model MODEL");
    }
    const auto name = command.get_option("MODEL")->as<std::string>();
    const FileKind kind = isBuiltIn(name) ? FileKind::Other : fileKindOf(name);
    if (kind == FileKind::Schedule || kind == FileKind::ChromeTrace || kind == FileKind::PerfettoTrace)
        return within(name, fail(ErrorCode::WrongUse, fmt::format("it is {}, and no model", nameOf(kind)),
                                 "Name a file to compare it with, too, or a model with --schedule FILE")
                                .value());
    return {};
}

Result<void> compareFiles(const CompareFilesOptions &options, const ModelOptions &model,
                          std::optional<double> failBelow, CommandLine &line)
{
    for (const char *option :
         {"--device", "--schedule", "--rounds", "--differences", "--why", "--r", "--s", "--single-source",
          "--exhaustive", "--max-measurements", "--max-seconds", "--bounds", "--order", "--epsilon"}) {
        if (model.command->count(option) > 0)
            return fail(ErrorCode::WrongUse, std::string(option) + " is of no use where files are compared",
                        "Nothing is measured or searched for there: leave it out");
    }
    TRY(checkFormat(options, line));
    const auto listening = line.listen();
    std::vector<std::string> names{model.request.spec};
    names.insert(names.end(), options.files.begin(), options.files.end());
    TRY_AS(auto files, openFiles(names, options, line));
    TRY_AS(const Model opened, openModelOf(files, options, model));
    std::vector<RecordedResult> results;
    for (RecordedFile &file : files) {
        TRY_AS(auto result, recordedResult(std::move(file), opened, line.stop));
        results.push_back(std::move(result));
    }
    const RecordedComparison comparison = compareRecorded(opened, std::move(results));
    if (failBelow) {
        TRY(checkJudged(comparison));
    }
    if (options.format != "text") {
        TRY(writeDocument(comparison, options, failBelow));
    }
    if (line.json)
        printAnswer(answerOf(comparison, failBelow));
    else if (options.format == "text" || !options.output.empty())
        printRecorded(comparison);
    line.status = failBelow ? tellBelow(comparison, *failBelow) : 0;
    return {};
}

} // namespace stagecraft
