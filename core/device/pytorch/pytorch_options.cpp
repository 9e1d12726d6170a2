#include "device/pytorch/pytorch_options.h"

#include "support/option_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace stagecraft {
namespace {

constexpr std::string_view kCpu = "pytorch:cpu";
constexpr std::string_view kCuda = "pytorch:cuda";
constexpr int kHighestNumber = 1024; // of threads or GPUs
constexpr std::array kPytorchWords{OptionWord{"tf32", ""}, OptionWord{"channels-last", ""}};

bool isOrBehind(std::string_view id, std::string_view name)
{
    return id == name || (id.starts_with(name) && id[name.size()] == ':');
}

// Takes ":4" away from the front of `rest`. Empty: there is no number there.
Result<std::optional<int>> takeNumber(std::string_view id, std::string_view &rest)
{
    if (rest.size() < 2 || rest[1] < '0' || rest[1] > '9')
        return std::nullopt;
    const std::string_view digits = rest.substr(1, rest.substr(1).find(':'));
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || number > kHighestNumber)
        return pytorchOptionWords().refusal(id, fmt::format("{} is not a number up to {}", digits, kHighestNumber));
    rest.remove_prefix(1 + digits.size());
    return number;
}

} // namespace

bool isPytorch(std::string_view id)
{
    return isOrBehind(id, "pytorch");
}

OptionWords pytorchOptionWords()
{
    return {kPytorchWords, "pytorch:cpu or pytorch:cuda:<number>", "pytorch:cuda:0:tf32:channels-last"};
}

Result<PytorchOptions> pytorchOptionsFrom(std::string_view id)
{
    const OptionWords words = pytorchOptionWords();
    PytorchOptions options;
    options.isCuda = isOrBehind(id, kCuda);
    if (!options.isCuda && !isOrBehind(id, kCpu))
        return words.refusal(id, "it begins with neither pytorch:cpu nor pytorch:cuda");
    std::string_view rest = id.substr(options.isCuda ? kCuda.size() : kCpu.size());
    TRY_AS(const auto number, takeNumber(id, rest));
    if (options.isCuda && !number)
        return words.refusal(id, "it has no number of a GPU");
    if (!options.isCuda && number == 0)
        return words.refusal(id, "it has no threads");
    options.number = number.value_or(0);
    TRY_AS(const auto given, words.read(id, rest));
    options.isTf32 = std::ranges::find(given, "tf32") != given.end();
    options.isChannelsLast = std::ranges::find(given, "channels-last") != given.end();
    if (options.isTf32 && !options.isCuda)
        return words.refusal(id, "only GPUs have TF32");
    return options;
}

std::string toId(const PytorchOptions &options)
{
    return fmt::format("{}{}{}{}", options.isCuda ? kCuda : kCpu,
                       options.isCuda || options.number > 0 ? fmt::format(":{}", options.number) : "",
                       options.isTf32 ? ":tf32" : "", options.isChannelsLast ? ":channels-last" : "");
}

} // namespace stagecraft
