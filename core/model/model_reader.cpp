#include "model/model_reader.h"

#include "model/built_in.h"
#include "model/ios_json.h"
#include "model/onnx_import.h"
#include "support/closest_name.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace stagecraft {
namespace {

std::string endingOf(const std::string &path)
{
    return std::filesystem::path(path).extension().string();
}

constexpr std::array kReaders{
    ModelReader{"", [](const std::string &text) { return isBuiltIn(text); },
                [](const std::string &text, const ModelReadOptions &options) {
                    BuiltInOptions builtIn;
                    if (options.batch != 0)
                        builtIn.batch = options.batch;
                    return builtInNetwork(text, builtIn);
                }},
    ModelReader{"an .onnx file", [](const std::string &text) { return endingOf(text) == ".onnx"; },
                [](const std::string &text, const ModelReadOptions &options) {
                    return importOnnx(text, {options.batch, options.keepSource, options.given, options.reading,
                                             options.keepFolded, options.budget});
                }},
    ModelReader{"an IOS .json graph", [](const std::string &text) { return endingOf(text) == ".json"; },
                [](const std::string &text, const ModelReadOptions &options) {
                    return readIosJson(text, options.batch == 0 ? 1 : options.batch);
                }},
};

tl::unexpected<Error> notAModel(const std::string &text)
{
    if (std::filesystem::exists(text)) {
        std::string formats;
        for (const ModelReader &reader : kReaders) {
            if (!reader.format.empty())
                formats += (formats.empty() ? "Open " : " or ") + std::string(reader.format);
        }
        return within(text, refused("this kind of file is not a model", std::move(formats)).value());
    }
    std::vector<std::string> names;
    for (const BuiltInNetwork &network : builtInNetworks())
        names.emplace_back(network.name);
    return fail(ErrorCode::WrongUse,
                text.empty() ? std::string("the name of the model is empty")
                             : "there is no built-in network and no file named " + text,
                didYouMean(text, names) + "Built in are " + listed(names) + "; files end in .onnx or .json");
}

} // namespace

std::span<const ModelReader> modelReaders()
{
    return kReaders;
}

Result<SourceGraph> readModel(const std::string &text, const ModelReadOptions &options)
{
    const auto reader = std::ranges::find_if(kReaders, [&](const ModelReader &one) { return one.sniff(text); });
    return reader == kReaders.end() ? notAModel(text) : reader->open(text, options);
}

} // namespace stagecraft
