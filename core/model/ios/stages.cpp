#include "model/ios/stages.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace stagecraft::ios {
namespace {

using Names = std::vector<std::string>;

Names wordsOf(const std::string &text)
{
    std::istringstream words(text);
    Names names;
    for (std::string word; words >> word;)
        names.push_back(std::move(word));
    return names;
}

// By name of a node: the words of its hint, if there are several and its own name is one of them.
std::map<std::string, Names> mergedNodesOf(const Json &block)
{
    std::map<std::string, Names> merged;
    const auto add = [&](const Json &node) {
        const auto name = text(node, "name");
        const auto hint = text(node, "hint_name");
        if (!name || !hint)
            return;
        Names words = wordsOf(*hint);
        if (words.size() > 1 && std::ranges::find(words, *name) != words.end())
            merged.emplace(*name, std::move(words));
    };
    if (const Json *inner = member(block, "inner_nodes"); inner && inner->is_array())
        std::ranges::for_each(*inner, add);
    if (const Json *exit = member(block, "exit_node"))
        add(*exit);
    return merged;
}

} // namespace

Result<std::vector<IosStage>> stagesOf(const Json &block, std::size_t index)
{
    std::vector<IosStage> stages;
    const Json *list = member(block, "stages");
    if (!list || list->is_null())
        return stages;
    const auto merged = mergedNodesOf(block);
    try {
        for (auto &groups : list->get<std::vector<std::vector<Names>>>()) {
            IosStage &stage = stages.emplace_back(IosStage{index, std::move(groups)});
            if (stage.groups.size() != 1 || stage.groups.front().size() != 1)
                continue;
            if (const auto found = merged.find(stage.groups.front().front()); found != merged.end())
                stage.merged = found->second;
        }
    } catch (const Json::exception &) {
        return refused("its stages are not lists of groups of names");
    }
    return stages;
}

} // namespace stagecraft::ios
