#include "export/tensorrt_recipe.h"

#include "support/output_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stagecraft {
namespace {

// As one word of a shell's command line.
std::string shellWord(const std::string &text)
{
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=+,:@";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos)
        return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string whatItTakes(const Schedule &schedule)
{
    const auto merged =
        std::ranges::count_if(schedule.stages, &Stage::isMerged) +
        (schedule.streams ? std::ranges::count_if(schedule.streams->launches, &StreamLaunch::isMerged) : 0);
    const std::string model = merged == 0 ? "the model, in which nothing is merged here,"
                                          : fmt::format("the model with {} merge{}", merged, merged == 1 ? "" : "s");
    return fmt::format(
        "TensorRT gives layers to streams itself and takes neither stages nor streams of layers. It takes "
        "{} and how many streams it may use beside its caller's",
        model);
}

} // namespace

std::size_t tensorRtAuxStreams(const Schedule &schedule)
{
    return std::max<std::size_t>(synchronisationOf(schedule).streams, 1) - 1;
}

std::vector<std::string> tensorRtRemarks(const Schedule &schedule, const std::string &onnxFile)
{
    const std::filesystem::path model = onnxFile == kStandardOutput ? "model.onnx" : onnxFile;
    const auto beside = [&](const char *ending) {
        return std::filesystem::path(model).replace_extension(ending).string();
    };
    const std::string profile = beside("profile.json");
    const std::string layers = beside("layers.json");
    const std::string times = beside("times.json");
    return {fmt::format("{}: trtexec {} --maxAuxStreams={} --profilingVerbosity=detailed --separateProfileRun {} {} {}",
                        whatItTakes(schedule), shellWord("--onnx=" + model.string()), tensorRtAuxStreams(schedule),
                        shellWord("--exportProfile=" + profile), shellWord("--exportLayerInfo=" + layers),
                        shellWord("--exportTimes=" + times)),
            fmt::format("File > Open reads back what TensorRT measured, all three files together, and so does "
                        "stagecraft-cli profile {} {} {} {}",
                        shellWord(model.string()), shellWord(profile), shellWord(layers), shellWord(times))};
}

} // namespace stagecraft
