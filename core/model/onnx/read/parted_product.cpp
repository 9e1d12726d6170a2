#include "model/onnx/file/constant.h"
#include "model/onnx/read/parted_merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagecraft {
namespace {

// A constant that holds columns of all members, as an input of a node.
struct Columns {
    std::size_t node = 0;
    int input = 0;
    std::size_t axis = 0; // of the columns
    Constant values = {};
    int elementType = 0;
};

class PartedProduct final : public PartedMerge {
public:
    PartedProduct(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
        : m_nodes(std::move(nodes)), m_merge(merge)
    {
    }

    Result<void> check(const Initializers &initializers, const std::filesystem::path &folder) override
    {
        const onnx::NodeProto &split = *m_nodes.back();
        const onnx::NodeProto &product = *m_nodes.front();
        const bool isGemm = product.op_type() == "Gemm";
        const bool isWhole = (isGemm || product.op_type() == "MatMul") && product.input_size() >= 2 &&
                             split.op_type() == "Split" &&
                             split.output_size() == static_cast<int>(m_merge.members.size());
        if (!isWhole || std::ranges::any_of(m_nodes, [](const auto *node) { return node->output_size() < 1; }))
            return refuseMerge("it is not a product with a split into as many outputs as it has operators");
        TRY(read({.node = 0, .input = 1, .axis = isGemm && isTransposed(product) ? 0U : 1U}, initializers, folder));
        if (m_columns.front().values.dims.size() != 2)
            return refuseMerge("its weight is not a matrix");
        if (isGemm && product.input_size() > 2) {
            TRY(read({.node = 0, .input = 2}, initializers, folder));
        } else if (!isGemm && m_nodes.size() > 2 && m_nodes[1]->op_type() == "Add") {
            TRY(readBias(initializers, folder));
        }
        return checkColumns();
    }

    void write(NodeList &nodes, onnx::GraphProto &graph, FreeNames &names) const override
    {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < m_merge.members.size(); ++i) {
            writeMember(i, first, nodes, graph, names);
            first += m_merge.members[i].channels;
        }
    }

    [[nodiscard]] std::vector<std::string> weights() const override
    {
        std::vector<std::string> names;
        for (const Columns &columns : m_columns)
            names.push_back(m_nodes[columns.node]->input(columns.input));
        return names;
    }

private:
    static bool isTransposed(const onnx::NodeProto &gemm)
    {
        return std::ranges::any_of(gemm.attribute(),
                                   [](const auto &one) { return one.name() == "transB" && one.i() != 0; });
    }

    Result<void> read(Columns columns, const Initializers &initializers, const std::filesystem::path &folder)
    {
        const std::string &name = m_nodes[columns.node]->input(columns.input);
        const auto found = initializers.find(name);
        if (found == initializers.end())
            return refuseMerge(fmt::format("its weight {} is not in the file", name));
        TRY_AS(columns.values, decodeTensor(*found->second, folder));
        if (!columns.values.isFloat())
            return refuseMerge(fmt::format("its weight {} has no floating-point numbers", name));
        columns.elementType = found->second->data_type();
        m_columns.push_back(std::move(columns));
        return {};
    }

    // Of a sum behind the product, which may be the begin of an activation.
    Result<void> readBias(const Initializers &initializers, const std::filesystem::path &folder)
    {
        const onnx::NodeProto &sum = *m_nodes[1];
        const std::int64_t all = m_columns.front().values.dims[1];
        for (int input = 0; input < sum.input_size(); ++input) {
            const auto found = initializers.find(sum.input(input));
            if (found != initializers.end() && found->second->dims_size() == 1 && found->second->dims(0) == all)
                return read({.node = 1, .input = input}, initializers, folder);
        }
        return {};
    }

    [[nodiscard]] Result<void> checkColumns() const
    {
        std::int64_t all = 0;
        for (const auto &member : m_merge.members) {
            if (member.channels < 1)
                return refuseMerge(fmt::format("operator {} does not fit into it", member.name));
            all += member.channels;
        }
        for (const Columns &columns : m_columns) {
            if (columns.values.dims.size() <= columns.axis || columns.values.dims[columns.axis] != all)
                return refuseMerge("its weights do not have the columns of its operators");
        }
        return {};
    }

    [[nodiscard]] const Columns *columnsOf(std::size_t node, int input) const
    {
        const auto found = std::ranges::find_if(
            m_columns, [&](const Columns &columns) { return columns.node == node && columns.input == input; });
        return found == m_columns.end() ? nullptr : &*found;
    }

    void writeMember(std::size_t index, std::int64_t first, NodeList &nodes, onnx::GraphProto &graph,
                     FreeNames &names) const
    {
        const StatedMerge::Member &member = m_merge.members[index];
        std::unordered_map<std::string, std::string> renamed; // tensors between the merged nodes
        const bool omitsSum = !member.hasBias && m_columns.size() > 1 && m_columns.back().node == 1;
        const std::string &whole = m_nodes.back()->input(0);
        for (std::size_t i = 0; i + 1 < m_nodes.size(); ++i) {
            if (i == 1 && omitsSum) {
                renamed[m_nodes[1]->output(0)] = renamed[m_nodes[0]->output(0)];
                continue;
            }
            onnx::NodeProto &node = *nodes.Add() = *m_nodes[i];
            node.set_name(i == 0 ? member.name : fmt::format("{}/after{}", member.name, i));
            for (int input = 0; input < node.input_size(); ++input) {
                if (const Columns *columns = columnsOf(i, input))
                    node.set_input(input, addColumns(*columns, member, first, graph, names));
                else if (const auto found = renamed.find(node.input(input)); found != renamed.end())
                    node.set_input(input, found->second);
            }
            if (i == 0 && !member.hasBias && columnsOf(0, 2))
                node.mutable_input()->DeleteSubrange(2, 1);
            const std::string &made = m_nodes[i]->output(0);
            const bool isLast = made == whole || (i == 0 && omitsSum && m_nodes[1]->output(0) == whole);
            node.set_output(0, isLast ? m_nodes.back()->output(static_cast<int>(index))
                                      : names.fresh(fmt::format("{}/step{}", member.name, i)));
            renamed[made] = node.output(0);
        }
    }

    // The member's columns, from `first` on; none for a bias that it does not have.
    static std::string addColumns(const Columns &columns, const StatedMerge::Member &member, std::int64_t first,
                                  onnx::GraphProto &graph, FreeNames &names)
    {
        const bool isBias = columns.values.dims.size() == 1;
        if (isBias && !member.hasBias)
            return {};
        std::vector<std::int64_t> dims = columns.values.dims;
        const std::int64_t rows = columns.axis == 0 ? 1 : dims[0];
        const std::int64_t each = columns.axis == 0 && !isBias ? dims[1] : 1; // values of a column that lie together
        const std::int64_t pitch = dims[columns.axis] * each;
        dims[columns.axis] = member.channels;
        const auto all = columns.values.asFloats();
        std::vector<float> values;
        for (std::int64_t row = 0; row < rows; ++row) {
            const auto from = all->begin() + row * pitch + first * each;
            values.insert(values.end(), from, from + member.channels * each);
        }
        std::string name = names.fresh(member.name + (isBias ? ".bias" : ".weight"));
        addInitializer(graph, name, dims, columns.elementType, values);
        return name;
    }

    std::vector<const onnx::NodeProto *> m_nodes;
    const StatedMerge &m_merge;
    std::vector<Columns> m_columns; // weight, then the bias if there is one
};

} // namespace

std::unique_ptr<PartedMerge> partedProduct(std::vector<const onnx::NodeProto *> nodes, const StatedMerge &merge)
{
    return std::make_unique<PartedProduct>(std::move(nodes), merge);
}

} // namespace stagecraft
