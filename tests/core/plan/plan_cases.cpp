#include "plan_cases.h"

#include "schedule/merge.h"
#include "support/device_networks.h"

#include <algorithm>

namespace stagecraft::test {
namespace {

std::shared_ptr<const Graph> randomGraph(std::minstd_rand &random)
{
    const std::int64_t channels[]{8, 16, 5, 32};
    NetworkMaker maker(Shape{{1 + static_cast<std::int64_t>(random() % 2), 16, 2, 3}});
    std::vector<TensorId> tensors{maker.x()};
    const auto any = [&] { return tensors[random() % tensors.size()]; };
    const auto summands = [&](TensorId first) {
        std::vector<TensorId> part{first};
        for (const TensorId other : tensors) {
            if (other != first && maker.shape(other) == maker.shape(first) && random() % 4 == 0)
                part.push_back(other);
        }
        return part;
    };
    const std::size_t operators = 4 + random() % 12;
    while (tensors.size() < operators) {
        switch (random() % 6) {
        case 0:
        case 1: { // convolutions of one input, which may be merged
            const TensorId input = any();
            for (std::size_t twins = 1 + random() % 3; twins > 0; --twins)
                tensors.push_back(maker.conv({{input}}, channels[random() % 4], Window{}));
            break;
        }
        case 2:
            tensors.push_back(maker.conv({summands(any()), {any()}}, channels[random() % 4], Window{}, {},
                                         random() % 2 ? kRelu : Activation{}));
            break;
        case 3: tensors.push_back(maker.sepConv({summands(any())}, channels[random() % 4], Window{}, kRelu)); break;
        case 4: {
            InputExpression inputs;
            for (std::size_t parts = 1 + random() % 4; parts > 0; --parts)
                inputs.push_back(random() % 3 ? std::vector{any()} : summands(any()));
            tensors.push_back(maker.join(inputs));
            break;
        }
        default: (void)maker.flatten(any());
        }
    }
    return maker.build();
}

bool isReady(const Graph &graph, const Operator &op, const std::vector<bool> &done)
{
    return std::ranges::all_of(op.inputs, [&](const auto &part) {
        return std::ranges::all_of(part, [&](TensorId tensor) {
            const OperatorId producer = graph.tensor(tensor).producer;
            return !producer.isValid() || done[producer.index()];
        });
    });
}

std::vector<Stage> randomStages(const Graph &graph, std::minstd_rand &random)
{
    std::vector<Stage> stages;
    std::vector<bool> done(graph.size());
    while (std::ranges::count(done, false) > 0) {
        std::vector<OperatorId> ready;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            if (!done[i] && isReady(graph, graph.op(OperatorId::fromIndex(i)), done))
                ready.push_back(OperatorId::fromIndex(i));
        }
        Stage stage;
        for (std::size_t first = 0; first < ready.size() && stage.groups.empty(); ++first) {
            std::vector<OperatorId> members{ready[first]};
            for (std::size_t next = first + 1; next < ready.size(); ++next) {
                members.push_back(ready[next]);
                if (!mergedOperator(graph, members))
                    members.pop_back();
            }
            if (members.size() > 1 && random() % 2 == 0) {
                stage.strategy = Strategy::Merge;
                for (const OperatorId id : members)
                    stage.groups.push_back({id});
            }
        }
        for (std::size_t i = 0; stage.strategy == Strategy::Concurrent && i < ready.size(); ++i) {
            if (stage.groups.empty() || random() % 3 != 0)
                stage.groups.push_back({ready[i]});
        }
        for (const auto &group : stage.groups)
            done[group.front().index()] = true;
        // A group may go on with an operator that reads only what is done and the group itself.
        for (auto &group : stage.groups) {
            for (std::size_t i = 0; stage.strategy == Strategy::Concurrent && i < graph.size(); ++i) {
                std::vector<bool> before = done;
                for (const auto &other : stage.groups) {
                    for (const OperatorId id : other)
                        before[id.index()] = &other == &group;
                }
                if (!done[i] && random() % 4 == 0 && isReady(graph, graph.op(OperatorId::fromIndex(i)), before)) {
                    group.push_back(OperatorId::fromIndex(i));
                    done[i] = true;
                }
            }
        }
        stages.push_back(std::move(stage));
    }
    return stages;
}

} // namespace

PlanCase randomPlanCase(std::minstd_rand &random)
{
    using plan::MemoryRules;
    using plan::TensorLayout;
    PlanCase made{randomGraph(random), {}, {}};
    // Mostly one layout, as devices have it.
    const TensorLayout most = kTensorLayouts[random() % kTensorLayouts.size()];
    std::vector<TensorLayout> layouts;
    for (const Tensor &tensor : made.graph->tensors()) {
        const TensorLayout layout = random() % 8 == 0 ? kTensorLayouts[random() % kTensorLayouts.size()] : most;
        layouts.push_back(tensor.shape.dims.size() == 4 ? layout : TensorLayout::RowMajor);
    }
    const MemoryRules::Strided strided[]{MemoryRules::Strided::Never, MemoryRules::Strided::ReadByJoins,
                                         MemoryRules::Strided::Always};
    const MemoryRules rules{random() % 2 ? std::size_t{64} : std::size_t{256}, random() % 2 ? 4 : 2,
                            strided[random() % 3], random() % 2 ? 16 : 1};
    made.tensors = plan::planTensors(*made.graph, std::move(layouts), rules);
    made.stages = randomStages(*made.graph, random);
    return made;
}

Result<plan::InputForm> inputForm(const Graph &graph, OperatorId id)
{
    const Operator &op = graph.op(id);
    if (op.kind == OperatorKind::Reshape)
        return plan::InputForm::Apart;
    return op.kind == OperatorKind::SepConv ? plan::InputForm::Summands : plan::InputForm::Joined;
}

} // namespace stagecraft::test
