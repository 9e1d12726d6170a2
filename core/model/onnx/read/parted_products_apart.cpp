#include "model/onnx/file/constant.h"
#include "model/onnx/read/parted_merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace stagecraft {
namespace {

using Nodes = std::span<const onnx::NodeProto *const>;

class PartedProductsApart final : public PartedMerge {
public:
    PartedProductsApart(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
        : m_nodes(std::move(nodes)), m_merge(merge)
    {
    }

    Result<void> check(const Initializers &initializers, const std::filesystem::path &folder) override
    {
        const std::size_t members = m_merge.members.size();
        const auto isReshape = [](const auto *node) {
            return node->op_type() == "Reshape" && node->input_size() > 0 && node->output_size() == 1;
        };
        const Nodes all(m_nodes);
        if (all.size() < 2 * members + 3 || !std::ranges::all_of(all.first(members), isReshape) ||
            !std::ranges::all_of(all.last(members), isReshape))
            return refuseMerge("it does not stack as many inputs and outputs as it has operators");
        m_inputs = all.first(members);
        m_outputs = all.last(members);
        const Nodes between = all.subspan(members, all.size() - 2 * members);
        m_steps = between.subspan(1, between.size() - 2);
        const onnx::NodeProto &product = *m_steps.front();
        if (between.front()->op_type() != "Concat" || between.back()->op_type() != "Split" ||
            between.back()->input_size() < 1 || between.front()->output_size() != 1 || product.op_type() != "MatMul" ||
            product.input_size() != 2 || product.input(0) != between.front()->output(0) ||
            std::ranges::any_of(m_steps, [](const auto *node) { return node->output_size() != 1; }))
            return refuseMerge("it is not a product of stacks with a split");
        TRY_AS(m_matrices, read(product.input(1), initializers, folder));
        if (m_steps.size() > 1 && m_steps[1]->op_type() == "Add" && m_steps[1]->input_size() == 2 &&
            initializers.contains(m_steps[1]->input(1))) {
            TRY_AS(auto bias, read(m_steps[1]->input(1), initializers, folder));
            m_bias = std::move(bias);
        }
        m_elementType = initializers.at(product.input(1))->data_type();
        return checkSizes();
    }

    void write(NodeList &nodes, onnx::GraphProto &graph, FreeNames &names) const override
    {
        for (std::size_t i = 0; i < m_merge.members.size(); ++i)
            writeMember(i, nodes, graph, names);
    }

    [[nodiscard]] std::vector<std::string> weights() const override
    {
        std::vector<std::string> names{m_steps.front()->input(1)};
        if (m_bias)
            names.push_back(m_steps[1]->input(1));
        for (const auto *node : m_nodes) {
            if (node->op_type() == "Reshape" && node->input_size() > 1)
                names.push_back(node->input(1));
        }
        return names;
    }

private:
    static Result<Constant> read(const std::string &name, const Initializers &initializers,
                                 const std::filesystem::path &folder)
    {
        const auto found = initializers.find(name);
        if (found == initializers.end())
            return refuseMerge(fmt::format("its weight {} is not in the file", name));
        TRY_AS(auto values, decodeTensor(*found->second, folder));
        if (!values.isFloat() || values.dims.size() < 3)
            return refuseMerge(fmt::format("its weight {} is no stack of matrices of floating-point numbers", name));
        return values;
    }

    // Matrices and rows of a bias lie one after another, as the operators do.
    [[nodiscard]] Result<void> checkSizes() const
    {
        const auto members = static_cast<std::int64_t>(m_merge.members.size());
        const auto count = [](const Constant &values) { return static_cast<std::int64_t>(values.size()); };
        for (const auto &member : m_merge.members) {
            if (m_matrices.dims.back() != member.channels)
                return refuseMerge(fmt::format("operator {} does not fit into it", member.name));
        }
        if (rows() < 1 || columns() < 1 || m_matrices.dims.front() != members ||
            count(m_matrices) != members * rows() * columns() ||
            (m_bias && (m_bias->dims.front() != members || count(*m_bias) != members * columns())))
            return refuseMerge("its weights are not one matrix for each of its operators");
        return {};
    }
    [[nodiscard]] std::int64_t columns() const { return m_matrices.dims.back(); }
    [[nodiscard]] std::int64_t rows() const { return m_matrices.dims[m_matrices.dims.size() - 2]; }

    void writeMember(std::size_t index, NodeList &nodes, onnx::GraphProto &graph, FreeNames &names) const
    {
        const StatedMerge::Member &member = m_merge.members[index];
        const auto valuesOf = [&](const Constant &stack) {
            const auto all = stack.asFloats();
            const auto each = std::ssize(*all) / std::ssize(m_merge.members);
            const auto from = all->begin() + static_cast<std::ptrdiff_t>(index) * each;
            return std::vector<float>(from, from + each);
        };
        const auto weight = [&](const char *role, const std::vector<std::int64_t> &dims, const Constant &stack) {
            std::string name = names.fresh(member.name + role);
            addInitializer(graph, name, dims, m_elementType, valuesOf(stack));
            return name;
        };
        std::unordered_map<std::string, std::string> renamed; // tensors between the merged nodes
        const bool omitsSum = m_bias && !member.hasBias;
        const std::size_t last = omitsSum && m_steps.size() == 2 ? 0 : m_steps.size() - 1;
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            const std::string &made = m_steps[i]->output(0);
            if (i == 1 && omitsSum) {
                renamed[made] = renamed[m_steps[0]->output(0)];
                continue;
            }
            onnx::NodeProto &node = *nodes.Add() = *m_steps[i];
            node.set_name(i == 0 ? member.name : fmt::format("{}/after{}", member.name, i));
            for (std::string &input : *node.mutable_input()) {
                if (const auto found = renamed.find(input); found != renamed.end())
                    input = found->second;
            }
            if (i == 0) {
                node.set_input(0, m_inputs[index]->input(0));
                node.set_input(1, weight(".weight", {rows(), columns()}, m_matrices));
            } else if (i == 1 && m_bias) {
                node.set_input(1, weight(".bias", {columns()}, *m_bias));
            }
            node.set_output(0, i == last ? m_outputs[index]->output(0)
                                         : names.fresh(fmt::format("{}/step{}", member.name, i)));
            renamed[made] = node.output(0);
        }
    }

    std::vector<const onnx::NodeProto *> m_nodes;
    const StatedMerge &m_merge;
    Nodes m_inputs, m_steps, m_outputs; // the Reshapes, and what is between stack and split
    Constant m_matrices;
    std::optional<Constant> m_bias;
    int m_elementType = 0;
};

} // namespace

std::unique_ptr<PartedMerge> partedProductsApart(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
{
    return std::make_unique<PartedProductsApart>(std::move(nodes), merge);
}

} // namespace stagecraft
