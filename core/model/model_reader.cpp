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

constexpr std::array kReaders{
    ModelReader{"", "",
                [](const OpenRequest &request) {
                    BuiltInOptions builtIn;
                    if (request.batch != 0)
                        builtIn.batch = request.batch;
                    return builtInNetwork(request.spec, builtIn);
                }},
    ModelReader{"an .onnx file", ".onnx", importOnnx},
    ModelReader{
        "an IOS .json graph", ".json",
        [](const OpenRequest &request) { return readIosJson(request.spec, request.batch == 0 ? 1 : request.batch); }},
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
    for (const Generator &generator : generators())
        names.emplace_back(generator.name);
    return fail(ErrorCode::WrongUse,
                text.empty() ? std::string("the name of the model is empty")
                             : "there is no built-in network and no file named " + text,
                didYouMean(text, names) + "Built in are " + listed(names) + "; files end in " +
                    listed(modelEndings(), " or "));
}

} // namespace

bool ModelReader::sniff(const std::string &text) const
{
    return ending.empty() ? isBuiltIn(text) : std::filesystem::path(text).extension() == ending;
}

std::span<const ModelReader> modelReaders()
{
    return kReaders;
}

bool namesModel(const std::string &text)
{
    return std::ranges::any_of(kReaders, [&](const ModelReader &reader) { return reader.sniff(text); });
}

std::vector<std::string> modelEndings()
{
    std::vector<std::string> endings;
    for (const ModelReader &reader : kReaders) {
        if (!reader.ending.empty())
            endings.emplace_back(reader.ending);
    }
    return endings;
}

Result<SourceGraph> readModel(const OpenRequest &request)
{
    const auto reader = std::ranges::find_if(kReaders, [&](const ModelReader &one) { return one.sniff(request.spec); });
    return reader == kReaders.end() ? notAModel(request.spec) : reader->open(request);
}

} // namespace stagecraft
