#include "results/shelf_order.h"

#include "results/shelf_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <sstream>
#include <string>

namespace stagecraft {
namespace {

std::string lowered(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

bool passes(const Shelf &shelf, const ScheduleResult &result, const std::vector<std::string> &words)
{
    if (words.empty())
        return true;
    const std::string text = lowered(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\nbatch {}", result.name, result.title,
                                                 result.note, madeByText(shelf, result), result.settings.model.name,
                                                 result.settings.device, result.settings.batch));
    return std::ranges::all_of(words, [&](const std::string &word) { return text.find(word) != std::string::npos; });
}

std::vector<std::string> wordsOf(std::string_view filter)
{
    std::istringstream stream{lowered(std::string(filter))};
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

void sortGroup(const Shelf &shelf, ShelfOrder order, std::vector<ResultId> &ids)
{
    std::map<ResultId, double> latencyUs;
    if (order == ShelfOrder::Fastest) {
        for (const ResultId id : ids) {
            const auto latency = shelf.latency(id);
            latencyUs[id] = latency ? latency->us : std::numeric_limits<double>::infinity();
        }
    }
    const auto isBefore = [&](ResultId a, ResultId b) {
        const ScheduleResult &one = *shelf.find(a);
        const ScheduleResult &other = *shelf.find(b);
        if (one.isPinned != other.isPinned)
            return one.isPinned;
        switch (order) {
        case ShelfOrder::AsMade: return a < b;
        case ShelfOrder::Newest: return b < a;
        case ShelfOrder::Fastest: return latencyUs[a] < latencyUs[b];
        case ShelfOrder::Name: return lowered(one.shownName()) < lowered(other.shownName());
        }
        return false;
    };
    std::ranges::stable_sort(ids, isBefore);
}

} // namespace

std::vector<ShelfGroup> grouped(const Shelf &shelf, ShelfOrder order, std::string_view filter)
{
    const std::vector<std::string> words = wordsOf(filter);
    std::vector<ShelfGroup> groups;
    for (const ScheduleResult &result : shelf.results()) {
        auto group = std::ranges::find(groups, result.settings, &ShelfGroup::settings);
        if (group == groups.end()) { // after the last group of its model
            const auto last = std::find_if(groups.rbegin(), groups.rend(), [&](const ShelfGroup &other) {
                return other.settings.model == result.settings.model;
            });
            group = groups.insert(last == groups.rend() ? groups.end() : last.base(), {result.settings, {}});
        }
        if (passes(shelf, result, words))
            group->results.push_back(result.id);
    }
    std::erase_if(groups, [](const ShelfGroup &group) { return group.results.empty(); });
    for (ShelfGroup &group : groups)
        sortGroup(shelf, order, group.results);
    return groups;
}

} // namespace stagecraft
