#include "flow/open_beside.h"

#include "flow/open_model.h"
#include "model/union/model_union.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

std::vector<std::string> specsOf(const Model &model)
{
    return model.parts.empty() ? std::vector{model.source} : specsOfUnion(model.source);
}

// As parts are named; one model alone has inputs without a name before them.
std::vector<std::string> prefixesOf(const std::vector<std::string> &specs)
{
    std::vector<std::string> names;
    std::ranges::transform(specs, std::back_inserter(names), nameOfModel);
    names = distinctNames(std::move(names));
    for (std::string &name : names)
        name += "/";
    return names.size() > 1 ? names : std::vector<std::string>{{}};
}

// `left`: by model of `specs`, its place before.
OpenRequest request(const Model &open, const std::vector<std::string> &specs, const std::vector<std::size_t> &left)
{
    const auto before = prefixesOf(specsOf(open));
    const auto after = prefixesOf(specs);
    OpenRequest wanted = sameReading(open, open.graph->batch());
    wanted.spec = joinedSpecs(specs);
    wanted.reading.sizes.clear();
    for (const auto &[input, sizes] : open.reading.sizes) {
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (input.starts_with(before[left[i]]))
                wanted.reading.sizes.emplace(after[i] + input.substr(before[left[i]].size()), sizes);
        }
    }
    return wanted;
}

} // namespace

OpenRequest besideRequest(const Model &open, const std::string &spec)
{
    std::vector<std::string> specs = specsOf(open);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < specs.size(); ++i)
        left.push_back(i);
    specs.push_back(spec);
    return request(open, specs, left);
}

OpenRequest aloneRequest(const Model &both, std::size_t model)
{
    return request(both, {specsOf(both)[model]}, {model});
}

OpenRequest withoutRequest(const Model &both, std::size_t model)
{
    std::vector<std::string> specs;
    std::vector<std::size_t> left;
    const auto all = specsOf(both);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i == model)
            continue;
        specs.push_back(all[i]);
        left.push_back(i);
    }
    return request(both, specs, left);
}

} // namespace stagecraft
