#include "cli/model_options.h"

#include "cli/command_line.h"
#include "cli/option_checks.h"
#include "cli/stop_after.h"
#include "model/built_in.h"
#include "support/shown_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::string_view kByRows = ":rows";

// "x=1x3x224x224", one for each input.
Result<InputSizes> inputSizes(const std::vector<std::string> &shapes)
{
    InputSizes sizes;
    for (const std::string &text : shapes) {
        const std::size_t equals = text.rfind('=');
        const bool isNamed = equals != std::string::npos && equals > 0;
        auto dims = isNamed ? sizesFromText(std::string_view(text).substr(equals + 1)) : std::nullopt;
        if (!dims)
            return fail(ErrorCode::WrongUse, "--shape: " + text + " is not the name of an input and its sizes",
                        "Write it as in --shape x=1x3x224x224");
        sizes[text.substr(0, equals)] = std::move(*dims);
    }
    return sizes;
}

// The process ends with its command: a graph is not taken apart before, which takes long for a million operators.
void keepUntilExit(std::shared_ptr<const Graph> graph)
{
    static auto *const kept = new std::vector<std::shared_ptr<const Graph>>();
    kept->push_back(std::move(graph));
}

} // namespace

void ModelOptions::addTo(CLI::App &of)
{
    of.add_option("MODEL", request.spec,
                  "a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an IOS .json graph; A+B: "
                  "two of them as one (see co-run)")
        ->required();
    addReadingTo(of);
}

void ModelOptions::addAsOptionTo(CLI::App &of)
{
    of.add_option("-m,--model", request.spec,
                  "the model of the plan: a built-in name, NAME:PARAMETER=VALUE,... (see models), an .onnx file or an "
                  "IOS .json graph")
        ->type_name("MODEL");
    addReadingTo(of);
}

void ModelOptions::addPairTo(CLI::App &of, std::string &other)
{
    addTo(of);
    of.add_option("OTHER", other,
                  "the model beside it, or the same one: a built-in name, an .onnx file or an IOS .json graph")
        ->required();
}

void ModelOptions::addReadingTo(CLI::App &of)
{
    command = &of;
    of.add_option("--batch", request.batch, "batch size (default: the model's own, or 1 if the model leaves it open)")
        ->type_name("N")
        ->check(wholeNumber(1, kLargestBatch));
    of.add_option(
          "--units", units,
          "what becomes one schedule unit of a model file: ios (as in the paper), tvm (by fusion class) or none "
          "(every operator)")
        ->type_name("UNITS")
        ->capture_default_str();
    of.add_option("--shape", shapes,
                  "sizes of an input that the file leaves open, as in x=1x3x512x512; may be given several times")
        ->type_name("INPUT=SIZES")
        ->expected(1)
        ->take_all();
    of.add_option("--without", request.reading.without,
                  "leave a pass out (see info --passes); may be given several times")
        ->type_name("PASS")
        ->expected(1)
        ->take_all();
    of.add_option("--split-operator", splits,
                  "split an operator into parts that may run side by side, by channels or columns, or by rows, and a "
                  "concat; may be given several times")
        ->type_name("OP:PARTS[:rows]")
        ->expected(1)
        ->take_all();
    const auto addNames = [&](const char *option, std::set<std::string> &names, const char *what) {
        of.add_option(option, names, std::string(what) + "; may be given several times")
            ->type_name("OP")
            ->expected(1)
            ->take_all();
    };
    addNames("--apart", request.reading.apart, "an operator of the file that no pass makes part of another's unit");
    addNames("--join-after", request.reading.joinedAfter,
             "make one block of that of an operator and the one behind (see info)");
    addNames("--cut-after", request.reading.cutAfter,
             "cut the block of an operator behind it and all that leads to it");
}

Result<void> ModelOptions::readSplits(Reading &reading) const
{
    for (const std::string &text : splits) {
        const bool byRows = text.ends_with(kByRows);
        const std::string_view split(text.data(), text.size() - (byRows ? kByRows.size() : 0));
        const std::size_t colon = split.rfind(':');
        std::int64_t parts = 0;
        const bool isNamed = colon != std::string::npos && colon > 0;
        const auto [end, error] = isNamed
                                      ? std::from_chars(split.data() + colon + 1, split.data() + split.size(), parts)
                                      : std::from_chars_result{split.data(), std::errc::invalid_argument};
        if (error != std::errc() || end != split.data() + split.size())
            return fail(ErrorCode::WrongUse, "--split-operator: " + text + " is not an operator and a count of parts",
                        "Write it as in --split-operator conv1:2, or conv1:2:rows");
        const std::string op(split.substr(0, colon));
        if (!reading.splits.emplace(op, parts).second)
            return fail(ErrorCode::WrongUse, "--split-operator: " + op + " is given twice", "Leave one out");
        if (byRows)
            reading.splitByRows.insert(op);
    }
    return {};
}

Result<OpenRequest> ModelOptions::complete() const
{
    const auto known = unitsFromString(units);
    if (!known)
        return unknownValue("--units", units, {"ios", "tvm", "none"});
    OpenRequest asked = request;
    asked.reading.units = *known;
    TRY_AS(asked.reading.sizes, inputSizes(shapes));
    TRY(readSplits(asked.reading));
    if (asked.reading.isUsual())
        asked.reading = madeWith;
    return asked;
}

Result<OpenedModel> ModelOptions::openWithSchedule(std::optional<double> maxSeconds) const
{
    TRY_AS(auto asked, complete());
    const std::string &spec = asked.spec;
    const std::int64_t batch = asked.batch;
    const StopAfter time(maxSeconds);
    asked.budget = openingBudget(time.token());
    auto opened = openModel(asked);
    if (!opened && opened.error().code == ErrorCode::Cancelled)
        return within(
            spec, fail(ErrorCode::Cancelled, "--max-seconds were over before the model was open", "Give it more time")
                      .value());
    if (!opened && batch > 0) { // the batch or the model may be at fault
        asked.batch = 0;
        asked.budget.reset();
        const auto asItIs = openModel(asked);
        if (asItIs) {
            const std::int64_t own = asItIs->model.graph->batch();
            Error error = within(fmt::format("--batch {}", batch), std::move(opened.error())).value();
            error.code = ErrorCode::WrongUse;
            error.remedy = fmt::format("At batch {} the model opens: leave --batch out, or {}", own,
                                       isBuiltIn(spec) ? "choose a smaller one"
                                                       : "export the model with an open batch size, or at this one");
            return tl::unexpected(std::move(error));
        }
    }
    if (opened) {
        const Model &model = opened->model;
        keepUntilExit(model.graph);
        const CLI::Option *output = command ? command->get_option_no_throw("-o") : nullptr;
        if (output && !output->empty()) {
            TRY(refuseOverwritingModel(output->as<std::string>(), model));
        }
        for (const ImportNote &note : model.report.notes) {
            if (note.severity == ImportNote::Severity::Warning)
                std::cerr << "note: "
                          << shownText((note.operatorName.empty() ? "" : note.operatorName + ": ") + note.text) << '\n';
        }
        if (const auto open = std::ranges::find(model.report.openInputs, false, &OpenInput::isChosen);
            open != model.report.openInputs.end())
            std::cerr << "note: --shape " << shownText(open->name) << "=" << toString(Shape{open->sizes})
                      << " is what was taken; give other sizes in the same way\n";
    }
    return opened;
}

Result<Model> ModelOptions::open(std::optional<double> maxSeconds) const
{
    return openWithSchedule(maxSeconds).map([](OpenedModel opened) { return std::move(opened.model); });
}

} // namespace stagecraft
