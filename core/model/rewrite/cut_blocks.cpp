#include "model/rewrite/cut_blocks.h"

#include "model/rewrite/reachability.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace stagecraft {
namespace {

constexpr std::size_t kLongPiece = 36;     // longer pieces are cut further
constexpr std::size_t kPartOperators = 24; // into parts of at most this many operators
constexpr std::size_t kFewOperators = 8;   // a shorter part is not worth a cut that leaves another one too long
constexpr int kMaxWidth = 12;       // wider pieces are cut further: transitions grow exponentially with the width
constexpr int kMaxLiveTensors = 12; // beyond this, a cut says little about the structure
constexpr std::size_t kMaxClosure = 1U << 13; // above this many operators the closure (n * n bits) costs too much

using Piece = std::vector<OperatorId>; // operators, ascending

class Cutter {
public:
    explicit Cutter(const Graph &graph)
        : m_graph(graph), m_ancestors(ancestors(graph)), m_descendants(descendants(graph)), m_readers(readersOf(graph))
    {
    }

    [[nodiscard]] Blocks cut() const
    {
        Blocks blocks;
        for (const Piece &piece : joinRuns(piecesBetweenArticulations()))
            append(piece, blocks);
        return blocks;
    }

    void append(const Piece &piece, Blocks &blocks) const { cutFurther(piece, 2, blocks); }

private:
    static std::vector<std::vector<OperatorId>> readersOf(const Graph &graph)
    {
        std::vector<std::vector<OperatorId>> readers(graph.tensors().size());
        for (std::size_t i = 0; i < graph.size(); ++i) {
            for (const auto &part : graph.operators()[i].inputs) {
                for (const TensorId input : part) {
                    auto &list = readers[input.index()];
                    if (list.empty() || list.back().index() != i) // one may read a tensor any number of times
                        list.push_back(OperatorId::fromIndex(i));
                }
            }
        }
        return readers;
    }

    // Everything after v reads v, and nothing else that does not depend on v. Inputs that are not images do not count:
    // a detector's image size, read at its very end, says nothing about its structure.
    [[nodiscard]] bool isArticulation(OperatorId v) const
    {
        const OperatorRow &behind = m_descendants[v.index()];
        // Branches that v does not depend on come before it, unless they are the larger part: then v is in one of
        // several heads.
        const std::size_t aside = m_graph.size() + 1 - behind.size() - m_ancestors[v.index()].size();
        if (aside != 0 && aside >= behind.size())
            return false;
        for (std::size_t t = 0; t < m_readers.size(); ++t) {
            const Tensor &tensor = m_graph.tensor(TensorId::fromIndex(t));
            const bool isInput = !tensor.producer.isValid();
            if (isInput ? tensor.shape.dims.size() < 3 : behind.contains(tensor.producer))
                continue; // v itself is in `behind`
            const auto readBehind = [&](OperatorId reader) { return reader != v && behind.contains(reader); };
            if (std::ranges::any_of(m_readers[t], readBehind))
                return false;
        }
        return true;
    }

    [[nodiscard]] std::vector<Piece> piecesBetweenArticulations() const
    {
        std::vector<std::size_t> pieceOf(m_graph.size(), 0);
        std::size_t count = 0;
        std::optional<OperatorId> last;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId v = OperatorId::fromIndex(i);
            if ((last && !m_ancestors[i].contains(*last)) || !isArticulation(v))
                continue;
            last = v;
            ++count;
            for (std::size_t j = 0; j < m_graph.size(); ++j) {
                if (j != i && m_descendants[i].contains(OperatorId::fromIndex(j)))
                    pieceOf[j] = count;
            }
        }
        std::vector<Piece> pieces(count + 1);
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            pieces[pieceOf[i]].push_back(OperatorId::fromIndex(i));
        std::erase_if(pieces, [](const Piece &piece) { return piece.empty(); });
        return pieces;
    }

    [[nodiscard]] bool isTrivial(const Piece &piece) const
    {
        const Operator &op = m_graph.op(piece.front());
        return op.isCopy() || op.activation() || op.kind == OperatorKind::BatchNorm;
    }

    [[nodiscard]] std::vector<Piece> joinRuns(std::vector<Piece> pieces) const
    {
        std::vector<Piece> joined;
        for (std::size_t i = 0; i < pieces.size();) {
            std::size_t end = i;
            while (end < pieces.size() && pieces[end].size() == 1)
                ++end;
            if (end == i) {
                joined.push_back(std::move(pieces[i++]));
                continue;
            }
            const bool trails = end == i + 1 && !joined.empty() && isTrivial(pieces[i]);
            if (!trails)
                joined.emplace_back();
            for (; i < end; ++i)
                joined.back().push_back(pieces[i].front());
            std::ranges::sort(joined.back());
        }
        return joined;
    }

    [[nodiscard]] bool fits(const Piece &piece) const
    {
        return piece.size() <= kLongPiece && width(m_graph, Block{piece}) <= kMaxWidth;
    }

    void cutFurther(const Piece &piece, int liveTensors, Blocks &blocks) const
    {
        if (fits(piece)) {
            blocks.push_back({piece});
            return;
        }
        if (liveTensors > kMaxLiveTensors || piece.size() > kMaxClosure) {
            appendRuns(m_graph, piece, blocks);
            return;
        }
        OperatorRow before(m_graph.size());
        for (const Block &block : blocks) {
            for (const OperatorId id : block.operators)
                before.insert(id);
        }
        for (const Piece &part : partsAtClosures(piece, before, liveTensors))
            cutFurther(part, liveTensors + 1, blocks);
    }

    // Cuts the piece between nested closures (an operator and all it depends on) after which at most `limit` tensors
    // are alive: a shortest path over closures.
    [[nodiscard]] std::vector<Piece> partsAtClosures(const Piece &piece, const OperatorRow &before, int limit) const
    {
        OperatorRow inPiece(m_graph.size());
        for (const OperatorId id : piece)
            inPiece.insert(id);
        const std::vector<TensorId> readHere = readFromOutside(piece, inPiece);
        struct Closure {
            OperatorId top;
            std::size_t size = 0;
        };
        std::vector<Closure> closures;
        for (const OperatorId v : piece) {
            const std::size_t size = m_ancestors[v.index()].sizeWithin(inPiece);
            if (size < piece.size() && liveBehind(v, readHere, inPiece, before, limit) <= limit)
                closures.push_back({v, size});
        }
        std::ranges::sort(closures, {}, &Closure::size);

        using Cost = std::tuple<std::size_t, std::size_t, long>; // operators above or below the bounds, parts, minus
                                                                 // inputs of the joins at the cuts
        constexpr std::size_t kStart = std::numeric_limits<std::size_t>::max();
        const auto extended = [](const Cost &cost, std::size_t size, long joinInputs) {
            const std::size_t tooMany = size > kPartOperators ? size - kPartOperators : 0;
            const std::size_t tooFew = size < kFewOperators ? kFewOperators - size : 0;
            return Cost{std::get<0>(cost) + tooMany + tooFew, std::get<1>(cost) + 1, std::get<2>(cost) - joinInputs};
        };
        std::vector<Cost> best(closures.size());
        std::vector<std::size_t> previous(closures.size(), kStart);
        for (std::size_t j = 0; j < closures.size(); ++j) {
            const long joinInputs = joinInputsOf(closures[j].top);
            best[j] = extended({}, closures[j].size, joinInputs);
            for (std::size_t i = 0; i < j && closures[i].size < closures[j].size; ++i) { // nested ones are smaller
                if (!m_ancestors[closures[j].top.index()].contains(closures[i].top))
                    continue;
                const Cost cost = extended(best[i], closures[j].size - closures[i].size, joinInputs);
                if (cost < best[j]) {
                    best[j] = cost;
                    previous[j] = i;
                }
            }
        }
        Cost whole = extended({}, piece.size(), 0);
        std::size_t last = kStart;
        for (std::size_t i = 0; i < closures.size(); ++i) {
            const Cost cost = extended(best[i], piece.size() - closures[i].size, 0);
            if (cost < whole) {
                whole = cost;
                last = i;
            }
        }
        std::vector<Piece> parts(1);
        Piece rest = piece;
        for (; last != kStart; last = previous[last]) {
            const OperatorRow &closure = m_ancestors[closures[last].top.index()];
            const auto outside =
                std::stable_partition(rest.begin(), rest.end(), [&](OperatorId id) { return closure.contains(id); });
            parts.back().assign(outside, rest.end());
            rest.erase(outside, rest.end());
            parts.emplace_back();
        }
        parts.back() = std::move(rest);
        std::ranges::reverse(parts);
        return parts;
    }

    // Tensors that a piece reads and does not make, without inputs that are not images.
    [[nodiscard]] std::vector<TensorId> readFromOutside(const Piece &piece, const OperatorRow &inPiece) const
    {
        std::vector<TensorId> found;
        for (const OperatorId id : piece) {
            for (const auto &part : m_graph.op(id).inputs) {
                for (const TensorId t : part) {
                    const Tensor &tensor = m_graph.tensor(t);
                    const bool counts =
                        tensor.producer.isValid() ? !inPiece.contains(tensor.producer) : tensor.shape.dims.size() >= 3;
                    if (counts)
                        found.push_back(t);
                }
            }
        }
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    // Tensors that the rest of the graph reads after the closure of v; those that only pass by the piece do not count.
    // `outside`: what the piece reads. Counting stops above `limit`.
    [[nodiscard]] int liveBehind(OperatorId v, const std::vector<TensorId> &outside, const OperatorRow &inPiece,
                                 const OperatorRow &before, int limit) const
    {
        const OperatorRow &closure = m_ancestors[v.index()];
        int live = 0;
        const auto count = [&](TensorId t) {
            const auto isLater = [&](OperatorId id) { return !closure.contains(id) && !before.contains(id); };
            live += std::ranges::any_of(m_readers[t.index()], isLater) ? 1 : 0;
            return live <= limit;
        };
        if (std::ranges::all_of(outside, count))
            closure.forEachWithin(inPiece,
                                  [&](OperatorId id) { return std::ranges::all_of(m_graph.op(id).outputs, count); });
        return live;
    }

    [[nodiscard]] long joinInputsOf(OperatorId id) const
    {
        const Operator &op = m_graph.op(id);
        return op.kind == OperatorKind::Join ? static_cast<long>(op.inputs.size()) : 0;
    }

public:
    static void appendRuns(const Graph &graph, const Piece &piece, Blocks &blocks)
    {
        const std::size_t runs = (piece.size() + kPartOperators - 1) / kPartOperators;
        const std::size_t length = (piece.size() + runs - 1) / runs;
        for (std::size_t begin = 0; begin < piece.size();) {
            const std::size_t end = begin + runLength(graph, piece, begin, std::min(begin + length, piece.size()));
            blocks.push_back({{piece.begin() + static_cast<std::ptrdiff_t>(begin),
                               piece.begin() + static_cast<std::ptrdiff_t>(end)}});
            begin = end;
        }
    }

private:
    // How many operators of [begin, end) form a block that is not too wide. In topological order, more operators are
    // never less wide, and a few are never too wide: usually the first try fits.
    static std::size_t runLength(const Graph &graph, const Piece &piece, std::size_t begin, std::size_t end)
    {
        Block block;
        block.operators.assign(piece.begin() + static_cast<std::ptrdiff_t>(begin),
                               piece.begin() + static_cast<std::ptrdiff_t>(end));
        while (block.operators.size() > static_cast<std::size_t>(kMaxWidth) && width(graph, block) > kMaxWidth)
            block.operators.pop_back();
        return block.operators.size();
    }

    const Graph &m_graph;
    std::vector<OperatorRow> m_ancestors;
    std::vector<OperatorRow> m_descendants;
    std::vector<std::vector<OperatorId>> m_readers; // by tensor
};

} // namespace

Blocks cutBlocks(const Graph &graph)
{
    if (graph.size() > kMaxClosure) {
        Piece all;
        for (std::size_t i = 0; i < graph.size(); ++i)
            all.push_back(OperatorId::fromIndex(i));
        Blocks blocks;
        Cutter::appendRuns(graph, all, blocks);
        return blocks;
    }
    return Cutter(graph).cut();
}

Blocks cutLongBlocks(const Graph &graph, const Blocks &blocks)
{
    const auto isLong = [&](const Block &block) {
        return block.operators.size() > kLongPiece || width(graph, block) > kMaxWidth;
    };
    if (std::ranges::none_of(blocks, isLong))
        return blocks;
    Blocks cut;
    std::optional<Cutter> cutter;
    if (graph.size() <= kMaxClosure)
        cutter.emplace(graph);
    for (const Block &block : blocks) {
        if (!isLong(block))
            cut.push_back(block);
        else if (cutter)
            cutter->append(block.operators, cut);
        else
            Cutter::appendRuns(graph, block.operators, cut);
    }
    return cut;
}

} // namespace stagecraft
