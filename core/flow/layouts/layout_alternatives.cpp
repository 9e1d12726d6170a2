#include "flow/layouts/layout_alternatives.h"

#include "schedule/layouts/laid_out_graph.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

Result<LayoutComparison> compareAlternatives(const LayoutProblem &problem, const LayoutResult &found,
                                             const Model &model, const Device *device, int rounds,
                                             const LayoutSearchOptions &search)
{
    LayoutComparison comparison;
    std::vector<LayoutVariant> variants{{"library", {}}, {"found", found.best}};
    const auto add = [&](const std::string &name, const LayoutProblem &restricted) {
        auto result = searchLayouts(restricted, search);
        comparison.alternatives.push_back({name, {}, {}});
        if (!result)
            return;
        comparison.alternatives.back().sumUs = result->best.latencyUs;
        variants.push_back({name, std::move(result->best)});
    };
    add("all_nchw", allIn(problem, problem.fixed));
    for (std::size_t i = 0; i < problem.layouts.size(); ++i) {
        if (isSameLayout(problem.layouts[i], "NHWC"))
            add("all_nhwc", allIn(problem, static_cast<LayoutIndex>(i)));
    }
    add("per_operator_fastest", fastestEach(problem));
    if (!device || rounds == 0)
        return comparison;
    TRY_AS(auto measured, measureVariants(model, *device, problem, variants, rounds, search.stop));
    comparison.library = measured[0];
    comparison.found = measured[1];
    for (std::size_t i = 2; i < variants.size(); ++i)
        std::ranges::find(comparison.alternatives, variants[i].name, &LayoutAlternative::name)->measured =
            std::move(measured[i]);
    return comparison;
}

} // namespace stagecraft
