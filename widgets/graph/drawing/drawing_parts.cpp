#include "widgets/graph/drawing/drawing_parts.h"

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
    DrawingBuilder(const Graph &graph, const Blocks &blocks, const DrawingOptions &options)
        : m_graph(graph), m_blocks(blocks), m_options(options)
    {
        m_parts.drawing.nodeOfOperator.resize(graph.size());
        addInputs();
        addBlocks();
        addOutputs();
        join();
    }

    [[nodiscard]] DrawingParts take() { return std::move(m_parts); }

private:
    std::uint32_t addNode(DrawingNode node, const QSizeF &size)
    {
        const auto index = static_cast<std::uint32_t>(m_parts.drawing.nodes.size());
        node.rect = QRectF(QPointF(0, 0), size);
        m_parts.drawing.nodes.push_back(node);
        m_parts.parts.back().push_back(index);
        m_parts.partOf.push_back(m_parts.parts.size() - 1);
        return index;
    }

    void addInputs()
    {
        m_parts.parts.emplace_back();
        for (std::size_t i = 0; i < m_graph.inputs().size(); ++i) {
            const TensorId tensor = m_graph.inputs()[i];
            m_nodeOfInput[tensor] = addNode({DrawingNode::Kind::Input, {}, tensor, 0, {}},
                                            sizeAt(m_options.inputSizes, i, m_options.defaultSize));
        }
    }

    void addOperator(OperatorId op, std::size_t block)
    {
        m_parts.drawing.nodeOfOperator[op.index()] =
            addNode({DrawingNode::Kind::Operator, op, {}, block, {}},
                    sizeAt(m_options.operatorSizes, op.index(), m_options.defaultSize));
    }

    void addBlocks()
    {
        if (m_blocks.empty()) {
            m_parts.parts.emplace_back();
            for (std::size_t i = 0; i < m_graph.size(); ++i)
                addOperator(OperatorId::fromIndex(i), 0);
            return;
        }
        m_parts.drawing.blocks.resize(m_blocks.size());
        for (std::size_t block = 0; block < m_blocks.size(); ++block) {
            m_parts.parts.emplace_back();
            const bool folded = block < m_options.folded.size() && m_options.folded[block];
            m_parts.drawing.blocks[block].folded = folded;
            if (!folded) {
                for (const OperatorId op : m_blocks[block].operators)
                    addOperator(op, block);
                continue;
            }
            const std::uint32_t node = addNode({DrawingNode::Kind::FoldedBlock, {}, {}, block, {}},
                                               sizeAt(m_options.foldedSizes, block, m_options.defaultSize));
            for (const OperatorId op : m_blocks[block].operators)
                m_parts.drawing.nodeOfOperator[op.index()] = node;
        }
    }

    [[nodiscard]] std::uint32_t sourceOf(TensorId tensor) const
    {
        const OperatorId producer = m_graph.tensor(tensor).producer;
        return producer.isValid() ? m_parts.drawing.nodeOfOperator[producer.index()] : m_nodeOfInput.at(tensor);
    }

    void addOutputs()
    {
        m_parts.parts.emplace_back();
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i) {
            const TensorId tensor = m_graph.outputs()[i];
            const std::uint32_t node = addNode({DrawingNode::Kind::Output, {}, tensor, 0, {}},
                                               sizeAt(m_options.outputSizes, i, m_options.defaultSize));
            m_parts.joined.emplace_back(sourceOf(tensor), node);
        }
    }

    void join()
    {
        auto &joined = m_parts.joined;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const std::uint32_t to = m_parts.drawing.nodeOfOperator[i];
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
    const DrawingOptions &m_options;
    std::map<TensorId, std::uint32_t> m_nodeOfInput;
    DrawingParts m_parts;
};

} // namespace

DrawingParts drawingPartsOf(const Graph &graph, const Blocks &blocks, const DrawingOptions &options)
{
    return DrawingBuilder(graph, blocks, options).take();
}

} // namespace stagecraft
