#include "model/onnx/file/constant.h"
#include "model/onnx/read/parted_merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace stagecraft {
namespace {

std::vector<std::int64_t> integersOf(const onnx::NodeProto &node, std::string_view key,
                                     std::vector<std::int64_t> fallback)
{
    for (const auto &attribute : node.attribute()) {
        if (attribute.name() == key && attribute.ints_size() == static_cast<int>(fallback.size()))
            return {attribute.ints().begin(), attribute.ints().end()};
    }
    return fallback;
}

std::int64_t integerOf(const onnx::NodeProto &node, std::string_view key, std::int64_t fallback)
{
    for (const auto &attribute : node.attribute()) {
        if (attribute.name() == key)
            return attribute.i();
    }
    return fallback;
}

void setIntegers(onnx::NodeProto &node, std::string_view key, const std::vector<std::int64_t> &values)
{
    for (auto &attribute : *node.mutable_attribute()) {
        if (attribute.name() == key)
            attribute.mutable_ints()->Assign(values.begin(), values.end());
    }
}

class PartedConvolution final : public PartedMerge {
public:
    PartedConvolution(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
        : m_nodes(std::move(nodes)), m_merge(merge)
    {
        if (m_nodes.front()->op_type() == "Concat") {
            m_join = m_nodes.front();
            m_nodes.erase(m_nodes.begin());
        }
    }

    Result<void> check(const Initializers &initializers, const std::filesystem::path &folder) override
    {
        const onnx::NodeProto &split = *m_nodes.back();
        const int members = static_cast<int>(m_merge.members.size());
        if (m_join && (m_join->input_size() != members || m_join->output_size() != 1 ||
                       integerOf(*m_join, "axis", 1) != 1 || integerOf(conv(), "group", 1) % members != 0))
            return refuseMerge("it does not join as many inputs as it has operators");
        if (conv().op_type() != "Conv" || conv().input_size() < 2 || conv().output_size() != 1 ||
            split.input_size() < 1 || (m_join && conv().input(0) != m_join->output(0)) || split.op_type() != "Split" ||
            split.output_size() != members)
            return refuseMerge("it is not a convolution with a split into as many outputs as it has operators");
        for (std::size_t i = 1; i + 1 < m_nodes.size(); ++i) {
            if (m_nodes[i]->output_size() != 1)
                return refuseMerge(fmt::format("its activation {} has not one output", m_nodes[i]->name()));
        }
        return readWeights(initializers, folder).and_then([&] { return cutKernels(); });
    }

    void write(NodeList &nodes, onnx::GraphProto &graph, FreeNames &names) const override
    {
        std::int64_t filter = 0;
        for (std::size_t i = 0; i < m_merge.members.size(); ++i) {
            writeMember(i, filter, nodes, graph, names);
            filter += m_merge.members[i].channels;
        }
    }

    [[nodiscard]] std::vector<std::string> weights() const override
    {
        return {conv().input().begin() + 1, conv().input().end()};
    }

private:
    [[nodiscard]] const onnx::NodeProto &conv() const { return *m_nodes.front(); }

    Result<void> readWeights(const Initializers &initializers, const std::filesystem::path &folder)
    {
        for (const std::string &name : weights()) {
            const auto found = initializers.find(name);
            if (found == initializers.end())
                return refuseMerge(fmt::format("its weight {} is not in the file", name));
            TRY_AS(auto read, decodeTensor(*found->second, folder));
            if (!read.isFloat())
                return refuseMerge(fmt::format("its weight {} has no floating-point numbers", name));
            m_elementType = found->second->data_type();
            m_values.push_back(std::move(read));
        }
        const std::vector<std::int64_t> &dims = m_values.front().dims;
        if (dims.size() != 4 || m_values.size() > 2 ||
            (m_values.size() == 2 && m_values[1].dims != std::vector{dims.front()}))
            return refuseMerge("its weights do not have the shapes of a convolution of images");
        return {};
    }

    Result<void> cutKernels()
    {
        std::int64_t filter = 0;
        for (const StatedMerge::Member &member : m_merge.members) {
            TRY_AS(auto kernel, cutKernel(member, filter));
            m_kernels.push_back(std::move(kernel));
            filter += member.channels;
        }
        return filter == m_values.front().dims[0] ? Result<void>()
                                                  : refuseMerge("its operators have fewer channels than it has");
    }

    // The member's filters, from `filter` on, without the zeros around them.
    [[nodiscard]] Result<std::vector<float>> cutKernel(const StatedMerge::Member &member, std::int64_t filter) const
    {
        const auto &dims = m_values.front().dims; // out, in, height, width
        const auto [height, width] = member.kernel.value_or(std::array<std::int64_t, 2>{});
        if (height < 1 || width < 1 || height > dims[2] || width > dims[3] || (dims[2] - height) % 2 != 0 ||
            (dims[3] - width) % 2 != 0 || member.channels < 1 || filter + member.channels > dims[0])
            return refuseMerge(fmt::format("operator {} does not fit into it", member.name));
        const std::int64_t top = (dims[2] - height) / 2;
        const std::int64_t left = (dims[3] - width) / 2;
        const auto values = m_values.front().asFloats();
        auto from = values->begin() + filter * dims[1] * dims[2] * dims[3];
        std::vector<float> kernel;
        kernel.reserve(static_cast<std::size_t>(member.channels * dims[1] * height * width));
        for (std::int64_t slice = 0; slice < member.channels * dims[1]; ++slice) {
            for (std::int64_t row = 0; row < dims[2]; ++row) {
                for (std::int64_t column = 0; column < dims[3]; ++column, ++from) {
                    if (row >= top && row < top + height && column >= left && column < left + width)
                        kernel.push_back(*from);
                    else if (*from != 0)
                        return refuseMerge("operator " + member.name +
                                           " has weights outside its kernel: they are not as they were exported");
                }
            }
        }
        return kernel;
    }

    void writeMember(std::size_t index, std::int64_t filter, NodeList &nodes, onnx::GraphProto &graph,
                     FreeNames &names) const
    {
        const StatedMerge::Member &member = m_merge.members[index];
        const auto &dims = m_values.front().dims;
        std::unordered_map<std::string, std::string> renamed; // tensors between the merged nodes
        for (std::size_t i = 0; i + 1 < m_nodes.size(); ++i) {
            onnx::NodeProto &node = *nodes.Add() = *m_nodes[i];
            node.set_name(i == 0 ? member.name : fmt::format("{}/after{}", member.name, i));
            for (std::string &input : *node.mutable_input()) {
                if (const auto found = renamed.find(input); found != renamed.end())
                    input = found->second;
            }
            const std::string &made = m_nodes[i]->output(0);
            const bool isLast = made == m_nodes.back()->input(0);
            node.set_output(0, isLast ? m_nodes.back()->output(static_cast<int>(index))
                                      : names.fresh(fmt::format("{}/step{}", member.name, i)));
            renamed.emplace(made, node.output(0));
            if (i > 0)
                continue;
            shrinkWindow(node, *member.kernel);
            readOwnInput(node, static_cast<int>(index));
            node.mutable_input()->DeleteSubrange(1, node.input_size() - 1);
            node.add_input(addWeight(graph, names.fresh(member.name + ".weight"),
                                     {member.channels, dims[1], (*member.kernel)[0], (*member.kernel)[1]},
                                     m_kernels[index]));
            if (!member.hasBias)
                continue;
            std::vector<float> bias(static_cast<std::size_t>(member.channels));
            if (m_values.size() == 2)
                std::copy_n(m_values[1].asFloats()->begin() + filter, member.channels, bias.begin());
            node.add_input(addWeight(graph, names.fresh(member.name + ".bias"), {member.channels}, bias));
        }
    }

    void readOwnInput(onnx::NodeProto &node, int index) const
    {
        if (!m_join)
            return;
        node.set_input(0, m_join->input(index));
        for (auto &attribute : *node.mutable_attribute()) {
            if (attribute.name() == "group")
                attribute.set_i(attribute.i() / static_cast<std::int64_t>(m_merge.members.size()));
        }
    }

    void shrinkWindow(onnx::NodeProto &node, const std::array<std::int64_t, 2> &kernel) const
    {
        const auto dilations = integersOf(node, "dilations", {1, 1});
        auto pads = integersOf(node, "pads", {0, 0, 0, 0});
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::int64_t less = (m_values.front().dims[axis + 2] - kernel[axis]) / 2 * dilations[axis];
            pads[axis] -= less;
            pads[axis + 2] -= less;
        }
        setIntegers(node, "pads", pads);
        setIntegers(node, "kernel_shape", {kernel[0], kernel[1]});
    }

    std::string addWeight(onnx::GraphProto &graph, std::string name, const std::vector<std::int64_t> &dims,
                          const std::vector<float> &values) const
    {
        addInitializer(graph, name, dims, m_elementType, values);
        return name;
    }

    const onnx::NodeProto *m_join = nullptr; // of inputs of their own
    std::vector<const onnx::NodeProto *> m_nodes;
    const StatedMerge &m_merge;
    int m_elementType = 0;
    std::vector<Constant> m_values;            // weight and bias, merged
    std::vector<std::vector<float>> m_kernels; // by member
};

} // namespace

std::unique_ptr<PartedMerge> partedConvolution(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
{
    return std::make_unique<PartedConvolution>(std::move(nodes), merge);
}

} // namespace stagecraft
