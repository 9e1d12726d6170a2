#include "model/networks/network_writer.h"
#include "model/networks/networks.h"

#include <string>
#include <utility>
#include <vector>

namespace stagecraft {
namespace {

using Mode = PoolAttributes::Mode;

// One cell of NASNet-A: five combinations, each the sum of two operations, and their concatenation.
class Cell {
public:
    Cell(NetworkWriter &net, std::string name) : m_net(net), m_name(std::move(name)) { m_net.beginBlock(); }

    TensorId adjust(const std::string &name, TensorId from, std::int64_t channels, std::int64_t stride = 1)
    {
        return m_net.reluConv(m_name + "/" + name, from, {channels, {1, 1}, stride, {0, 0}});
    }
    TensorId average(const std::string &name, TensorId from, std::int64_t stride = 1)
    {
        return m_net.pool(m_name + "/" + name, from, {Mode::Average, 3, stride, 1});
    }
    TensorId max(const std::string &name, TensorId from)
    {
        return m_net.pool(m_name + "/" + name, from, {Mode::Max, 3, 2, 1});
    }

    // A separable convolution of NASNet: two units; the first has the stride.
    TensorId separable(const std::string &name, TensorId from, std::int64_t middle, std::int64_t channels,
                       std::int64_t kernel, std::int64_t stride = 1)
    {
        const TensorId first = m_net.reluSepConv(m_name + "/" + name + "_1", {{from}}, middle, kernel, stride);
        return m_net.reluSepConv(m_name + "/" + name + "_2", {{first}}, channels, kernel, 1);
    }
    TensorId join(const std::string &name, InputExpression inputs)
    {
        return m_net.join(m_name + "/" + name, std::move(inputs));
    }

private:
    NetworkWriter &m_net;
    std::string m_name;
};

// The published graphs differ in which sums stand alone: in the stems it is the second combination; in later reductions
// only its use by the fourth. The fourth combination of the first stem adds the first one instead.
enum class Reduction { FirstStem, SecondStem, Later };

TensorId reductionCell(Cell &cell, Reduction variant, TensorId left, TensorId right, std::int64_t rightChannels,
                       std::int64_t channels)
{
    const TensorId left0 = cell.separable("comb0/left", left, channels, channels, 5, 2);
    const TensorId right0 = cell.separable("comb0/right", right, rightChannels, channels, 7, 2);
    const TensorId comb0 = cell.join("comb0/add", {{left0, right0}});
    const TensorId left1 = cell.max("comb1/left", left);
    const TensorId right1 = cell.separable("comb1/right", right, rightChannels, channels, 7, 2);
    const TensorId comb1 = cell.join("comb1/add", {{left1, right1}});
    const TensorId left2 = cell.average("comb2/left", left, 2);
    const TensorId right2 = cell.separable("comb2/right", right, rightChannels, channels, 5, 2);
    const TensorId left3 = cell.average("comb3/left", comb0);
    const TensorId left4 = cell.separable("comb4/left", comb0, channels, channels, 3);
    const TensorId right4 = cell.max("comb4/right", left);
    const TensorId right3 = variant == Reduction::FirstStem ? comb0 : comb1;
    // The published order of the summands in the third and fourth part.
    std::vector<TensorId> part1{comb1};
    if (variant == Reduction::Later)
        part1 = {left1, right1};
    const std::vector<TensorId> part3 =
        variant == Reduction::Later ? std::vector{right3, left3} : std::vector{left3, right3};
    return cell.join("concat", {part1, {left2, right2}, part3, {left4, right4}});
}

// In the published graph the first cell after a reduction reads something else in its first combination, and is alone
// in passing `previous` on.
struct NormalCell {
    bool readsCurrentTwice = false;
    bool passesOn = true;
};

// `previous` and `current` are the adjusted outputs of the last two cells.
TensorId normalCell(Cell &cell, TensorId previous, TensorId current, std::int64_t channels, NormalCell variant)
{
    const TensorId left0 = cell.separable("comb0/left", current, channels, channels, 5);
    const TensorId right0 =
        cell.separable("comb0/right", variant.readsCurrentTwice ? current : previous, channels, channels, 3);
    const TensorId left1 = cell.separable("comb1/left", previous, channels, channels, 5);
    const TensorId right1 = cell.separable("comb1/right", previous, channels, channels, 3);
    const TensorId left2 = cell.average("comb2/left", current);
    const TensorId left3 = cell.average("comb3/left", previous);
    const TensorId right3 = cell.average("comb3/right", previous);
    const TensorId left4 = cell.separable("comb4/left", current, channels, channels, 3);
    InputExpression parts;
    if (variant.passesOn)
        parts.push_back({previous});
    parts.insert(parts.end(), {{left0, right0}, {left1, right1}, {left2, previous}, {left3, right3}, {left4, current}});
    return cell.join("concat", std::move(parts));
}

// Cells one behind the other; each reads the outputs of the two before it.
class CellsInARow {
protected:
    CellsInARow(const std::string &name, std::int64_t batch) : m_net(name, batch) {}

    // A reduction of what the last two cells made.
    TensorId reduced(const std::string &name, std::int64_t channels, Reduction variant)
    {
        Cell cell(m_net, name);
        const TensorId right = cell.adjust("adjust_previous", m_previous, channels);
        const TensorId left = cell.adjust("adjust", m_current, channels);
        return reductionCell(cell, variant, left, right, channels, channels);
    }
    // Six cells of one size, the first one as `first`. `isReduced`: the output of the cell before last is twice as
    // large as that of the last one, and the first of the six scales it.
    void normalCells(std::int64_t channels, bool isReduced, NormalCell first, NormalCell others)
    {
        for (int i = 0; i < 6; ++i) {
            Cell cell(m_net, "cell" + std::to_string(m_nextCell++));
            TensorId previous;
            if (isReduced && i == 0) {
                const TensorId path1 = cell.adjust("adjust_previous_1", m_previous, channels / 2, 2);
                const TensorId path2 = cell.adjust("adjust_previous_2", m_previous, channels / 2, 2);
                previous = cell.join("adjust_previous", {{path1}, {path2}});
            } else {
                previous = cell.adjust("adjust_previous", m_previous, channels);
            }
            const TensorId current = cell.adjust("adjust", m_current, channels);
            m_previous =
                std::exchange(m_current, normalCell(cell, previous, current, channels, i == 0 ? first : others));
        }
    }

    NetworkWriter m_net;
    TensorId m_previous;
    TensorId m_current;

private:
    int m_nextCell = 0;
};

class NasNet : CellsInARow {
public:
    explicit NasNet(std::int64_t batch) : CellsInARow("nasnet", batch) {}

    Result<SourceGraph> build()
    {
        const TensorId input = m_net.input(3, 331);
        m_net.beginBlock();
        const TensorId conv0 = m_net.conv("conv0", input, {96, {3, 3}, 2, {0, 0}});
        const TensorId stem0 = firstStem(conv0);
        m_previous = stem0;
        m_current = secondStem(conv0, stem0);
        cells(168);
        reduce("reduction1", 336);
        cells(336);
        reduce("reduction2", 672);
        cells(672);
        m_net.beginBlock();
        const TensorId relu = m_net.relu("relu", m_current);
        m_net.beginBlock();
        m_net.globalAveragePool("avgpool", relu);
        return m_net.finish();
    }

private:
    TensorId firstStem(TensorId conv0)
    {
        Cell cell(m_net, "stem0");
        const TensorId left = cell.adjust("adjust", conv0, 42);
        return reductionCell(cell, Reduction::FirstStem, left, conv0, 42, 42);
    }
    TensorId secondStem(TensorId conv0, TensorId stem0)
    {
        Cell cell(m_net, "stem1");
        const TensorId left = cell.adjust("adjust", stem0, 84);
        const TensorId path1 = cell.adjust("adjust_previous_1", conv0, 42, 2);
        const TensorId path2 = cell.adjust("adjust_previous_2", conv0, 42, 2);
        const TensorId right = cell.join("adjust_previous", {{path1, path2}});
        return reductionCell(cell, Reduction::SecondStem, left, right, 42, 84);
    }
    // m_previous stays: the first cell after a reduction reads what the reduction read.
    void reduce(const std::string &name, std::int64_t channels)
    {
        m_current = reduced(name, channels, Reduction::Later);
    }
    void cells(std::int64_t channels)
    {
        normalCells(channels, true, {.readsCurrentTwice = true, .passesOn = true},
                    {.readsCurrentTwice = false, .passesOn = false});
    }
};

// NASNet-A (6 @ 768) for CIFAR, without the auxiliary classifier: the cells of the paper, six of each size, with 32, 64
// and 128 channels.
class NasNetCifar : CellsInARow {
public:
    explicit NasNetCifar(std::int64_t batch) : CellsInARow("nasnet_cifar", batch) {}

    Result<SourceGraph> build()
    {
        const TensorId input = m_net.input(3, 32);
        m_net.beginBlock();
        m_previous = m_current = m_net.conv("stem", input, {3 * kChannels, {3, 3}, 1, {1, 1}});
        normalCells(kChannels, false, {}, {});
        reduce("reduction1", 2 * kChannels);
        normalCells(2 * kChannels, true, {}, {});
        reduce("reduction2", 4 * kChannels);
        normalCells(4 * kChannels, true, {}, {});
        m_net.beginBlock();
        const TensorId relu = m_net.relu("relu", m_current);
        m_net.conv("fc", m_net.globalAveragePool("avgpool", relu), {10});
        return m_net.finish();
    }

private:
    static constexpr std::int64_t kChannels = 32;

    void reduce(const std::string &name, std::int64_t channels)
    {
        m_previous = std::exchange(m_current, reduced(name, channels, Reduction::SecondStem));
    }
};

} // namespace

Result<SourceGraph> nasNet(std::int64_t batch)
{
    return NasNet(batch).build();
}

Result<SourceGraph> nasNetCifar(std::int64_t batch)
{
    return NasNetCifar(batch).build();
}

} // namespace stagecraft
