#include "widgets/graph/layout/layout_drawing.h"

#include <algorithm>
#include <map>

namespace stagecraft {
namespace {

QSizeF sizeAt(const std::vector<QSizeF> &sizes, std::size_t index, const QSizeF &otherwise)
{
    return index < sizes.size() ? sizes[index] : otherwise;
}

class DrawingBuilder {
public:
    DrawingBuilder(const Graph &graph, const Blocks &blocks, const LayoutOptions &options)
        : m_graph(graph), m_blocks(blocks), m_options(options)
    {
        m_drawing.layout.nodeOfOperator.resize(graph.size());
        addInputs();
        addBlocks();
        addOutputs();
        join();
    }

    [[nodiscard]] Drawing take() { return std::move(m_drawing); }

private:
    std::uint32_t addNode(LayoutNode node, const QSizeF &size)
    {
        const auto index = static_cast<std::uint32_t>(m_drawing.layout.nodes.size());
        node.rect = QRectF(QPointF(0, 0), size);
        m_drawing.layout.nodes.push_back(node);
        m_drawing.parts.back().push_back(index);
        m_drawing.partOf.push_back(m_drawing.parts.size() - 1);
        return index;
    }

    void addInputs()
    {
        m_drawing.parts.emplace_back();
        for (std::size_t i = 0; i < m_graph.inputs().size(); ++i) {
            const TensorId tensor = m_graph.inputs()[i];
            m_nodeOfInput[tensor] = addNode({LayoutNode::Kind::Input, {}, tensor, 0, {}},
                                            sizeAt(m_options.inputSizes, i, m_options.defaultSize));
        }
    }

    void addOperator(OperatorId op, std::size_t block)
    {
        m_drawing.layout.nodeOfOperator[op.index()] =
            addNode({LayoutNode::Kind::Operator, op, {}, block, {}},
                    sizeAt(m_options.operatorSizes, op.index(), m_options.defaultSize));
    }

    void addBlocks()
    {
        if (m_blocks.empty()) {
            m_drawing.parts.emplace_back();
            for (std::size_t i = 0; i < m_graph.size(); ++i)
                addOperator(OperatorId::fromIndex(i), 0);
            return;
        }
        m_drawing.layout.blocks.resize(m_blocks.size());
        for (std::size_t block = 0; block < m_blocks.size(); ++block) {
            m_drawing.parts.emplace_back();
            const bool folded = block < m_options.folded.size() && m_options.folded[block];
            m_drawing.layout.blocks[block].folded = folded;
            if (!folded) {
                for (const OperatorId op : m_blocks[block].operators)
                    addOperator(op, block);
                continue;
            }
            const std::uint32_t node = addNode({LayoutNode::Kind::FoldedBlock, {}, {}, block, {}},
                                               sizeAt(m_options.foldedSizes, block, m_options.defaultSize));
            for (const OperatorId op : m_blocks[block].operators)
                m_drawing.layout.nodeOfOperator[op.index()] = node;
        }
    }

    [[nodiscard]] std::uint32_t sourceOf(TensorId tensor) const
    {
        const OperatorId producer = m_graph.tensor(tensor).producer;
        return producer.isValid() ? m_drawing.layout.nodeOfOperator[producer.index()] : m_nodeOfInput.at(tensor);
    }

    void addOutputs()
    {
        m_drawing.parts.emplace_back();
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i) {
            const TensorId tensor = m_graph.outputs()[i];
            const std::uint32_t node = addNode({LayoutNode::Kind::Output, {}, tensor, 0, {}},
                                               sizeAt(m_options.outputSizes, i, m_options.defaultSize));
            m_drawing.joined.emplace_back(sourceOf(tensor), node);
        }
    }

    void join()
    {
        auto &joined = m_drawing.joined;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const std::uint32_t to = m_drawing.layout.nodeOfOperator[i];
            for (const auto &part : m_graph.operators()[i].inputs) {
                for (const TensorId tensor : part) {
                    if (const std::uint32_t from = sourceOf(tensor); from != to)
                        joined.emplace_back(from, to);
                }
            }
        }
        std::sort(joined.begin(), joined.end());
        joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    }

    const Graph &m_graph;
    const Blocks &m_blocks;
    const LayoutOptions &m_options;
    std::map<TensorId, std::uint32_t> m_nodeOfInput;
    Drawing m_drawing;
};

} // namespace

Drawing drawingOf(const Graph &graph, const Blocks &blocks, const LayoutOptions &options)
{
    return DrawingBuilder(graph, blocks, options).take();
}

} // namespace stagecraft
