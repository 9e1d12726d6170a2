#include "support/option_words.h"

#include "support/closest_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

std::vector<std::string> OptionWords::names() const
{
    std::vector<std::string> names;
    for (const OptionWord &option : known)
        names.emplace_back(option.word);
    return names;
}

tl::unexpected<Error> OptionWords::refusal(std::string_view id, std::string_view reason, std::string_view word) const
{
    const std::vector<std::string> all = names();
    return fail(ErrorCode::WrongUse, fmt::format("the device {} is not known: {}", id, reason),
                fmt::format("{}Use {}, then any of {}, separated by colons, as in {}", didYouMean(word, all), form,
                            listed(all), example));
}

Result<std::vector<std::string_view>> OptionWords::read(std::string_view id, std::string_view words) const
{
    std::vector<std::string_view> read;
    while (!words.empty()) {
        words.remove_prefix(1);
        const std::string_view word = words.substr(0, words.find(':'));
        words.remove_prefix(word.size());
        const auto option = std::ranges::find(known, word, &OptionWord::word);
        if (option == known.end())
            return refusal(id, fmt::format("it has no option {}", word), word);
        for (const std::string_view before : read) {
            const std::string_view choice = std::ranges::find(known, before, &OptionWord::word)->choice;
            if (before != word && !choice.empty() && choice == option->choice)
                return refusal(id, fmt::format("{} and {} are two choices of its {}", before, word, choice));
        }
        if (std::ranges::find(read, word) == read.end())
            read.push_back(word);
    }
    return read;
}

} // namespace stagecraft
