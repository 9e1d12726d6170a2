#include "device/onnxruntime/onnxruntime_options.h"

#include "support/option_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::string_view kName = "onnxruntime";
constexpr int kMostThreads = 1024;
constexpr std::array kWords{OptionWord{"extended", "level"}, OptionWord{"all", "level"}, OptionWord{"parallel", ""}};

} // namespace

bool isOnnxRuntime(std::string_view id)
{
    return id == kName || (id.starts_with(kName) && id[kName.size()] == ':');
}

OptionWords onnxRuntimeOptionWords()
{
    return {kWords, "onnxruntime:<threads>", "onnxruntime:4:all"};
}

Result<OnnxRuntimeOptions> onnxRuntimeOptionsFrom(std::string_view id)
{
    if (!isOnnxRuntime(id))
        return onnxRuntimeOptionWords().refusal(id, "it does not begin with onnxruntime");
    OnnxRuntimeOptions options;
    std::string_view rest = id.substr(kName.size());
    if (rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9') {
        const std::string_view number = rest.substr(1, rest.substr(1).find(':'));
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), options.threads);
        if (error != std::errc{} || end != number.data() + number.size() || options.threads < 1 ||
            options.threads > kMostThreads)
            return onnxRuntimeOptionWords().refusal(
                id, fmt::format("{} is not a number of threads from 1 to {}", number, kMostThreads));
        rest.remove_prefix(1 + number.size());
    }
    TRY_AS(const auto words, onnxRuntimeOptionWords().read(id, rest));
    options.isAll = std::ranges::find(words, "all") != words.end();
    options.isParallel = std::ranges::find(words, "parallel") != words.end();
    return options;
}

std::string toId(const OnnxRuntimeOptions &options)
{
    return fmt::format("{}{}{}{}", kName, options.threads > 0 ? fmt::format(":{}", options.threads) : "",
                       options.isAll ? ":all" : "", options.isParallel ? ":parallel" : "");
}

} // namespace stagecraft
