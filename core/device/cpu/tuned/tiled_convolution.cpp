#include "device/cpu/tuned/tiled_convolution.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#define STAGECRAFT_INLINE inline __attribute__((always_inline))
#define STAGECRAFT_INLINED __attribute__((always_inline)) // of lambdas
#if defined(__x86_64__)
#define STAGECRAFT_AVX2 __attribute__((target("avx2,fma")))
#define STAGECRAFT_AVX512 __attribute__((target("avx512f")))
#else // vectors of the compiler's choice
#define STAGECRAFT_AVX2
#define STAGECRAFT_AVX512
#endif

namespace stagecraft::cpu {
namespace {

template <int kLanes>
struct Vector {
    using Type __attribute__((vector_size(kLanes * sizeof(float)))) = float;
};
template <int kLanes>
using Values = typename Vector<kLanes>::Type;

// What a tile reads and writes: the output columns of one row and the blocks of one group of output channels. Steps are
// in floats.
struct Tile {
    const float *source = nullptr; // at the first tap of the first column
    std::int64_t nextInBlock = 0;
    std::int64_t nextRow = 0;    // to the next tap down
    std::int64_t nextTap = 0;    // to the next tap across
    std::int64_t nextColumn = 0; // of the source, to that of the next output column
    const float *weights = nullptr;
    std::int64_t nextWeights = 0; // to those of the next block of output channels
    const float *bias = nullptr;
    std::array<float *, kMostTileBlocks> destinations{}; // of each block
    std::int64_t nextOutPixel = 0;
    std::array<std::int64_t, kMostTileBlocks> written{}; // of each block: the last lanes, so many
    // Taps inside the image.
    std::int64_t firstDown = 0, endDown = 0;
    std::int64_t firstAcross = 0, endAcross = 0;
    bool isAtLeft = false, isAtRight = false; // of three taps, that the first or the last one is in the padding
};

using RunTile = void (*)(const TiledConvolution &, const Tile &);

// At any address.
template <int kLanes>
STAGECRAFT_INLINE void load(Values<kLanes> &to, const float *from)
{
    __builtin_memcpy(&to, from, sizeof(to));
}
template <int kLanes>
STAGECRAFT_INLINE void store(const Values<kLanes> &from, float *to)
{
    __builtin_memcpy(to, &from, sizeof(from));
}

// Calls body(0), body(1), ... with constants, so that arrays they index become registers.
template <int kCount, typename Body>
STAGECRAFT_INLINE void unrolled(const Body &body)
{
    [&]<int... kIndex>(std::integer_sequence<int, kIndex...>) STAGECRAFT_INLINED
    {
        (body(std::integral_constant<int, kIndex>{}), ...);
    }
    (std::make_integer_sequence<int, kCount>{});
}

// Keeps a value in a register that several sums read: a compiler may load it anew for each.
template <int kLanes>
STAGECRAFT_INLINE Values<kLanes> &heldInRegister(Values<kLanes> &value)
{
#if defined(__x86_64__)
    asm("" : "+x"(value));
#endif
    return value;
}

// The activation, then columns from `sums` to `to`. Of channels last, the last vector writes the lanes alone that the
// one before it did not.
template <int kLanes, int kColumns>
STAGECRAFT_INLINE void finish(Values<kLanes> *sums, TiledConvolution::After after, std::int64_t written, float *to,
                              std::int64_t nextPixel)
{
    const Values<kLanes> zero = {};
    if (after != TiledConvolution::After::Nothing) {
        unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED {
            sums[column] = sums[column] < zero ? zero : sums[column]; // what is no number stays
        });
    }
    if (after == TiledConvolution::After::Relu6) {
        const Values<kLanes> six = zero + 6.0F;
        unrolled<kColumns>([&](auto column)
                               STAGECRAFT_INLINED { sums[column] = sums[column] > six ? six : sums[column]; });
    }
    if (written == kLanes) {
        unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED {
            store<kLanes>(sums[column], to);
            to += nextPixel;
        });
        return;
    }
    unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED {
        float each[kLanes];
        store<kLanes>(sums[column], each);
        for (std::int64_t lane = kLanes - written; lane < kLanes; ++lane)
            to[lane] = each[lane];
        to += nextPixel;
    });
}

// kStride 0: any window; otherwise three taps across that lie side by side: a value that is loaded once serves all
// columns that read it.
template <int kLanes, int kColumns, int kStride>
STAGECRAFT_INLINE void depthwiseTile(const TiledConvolution &convolution, const Tile &tile)
{
    constexpr int kTaps = 3;
    constexpr int kPlaces = (kColumns - 1) * kStride + kTaps; // of the source
    Values<kLanes> sums[kColumns];
    unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED { load<kLanes>(sums[column], tile.bias); });
    for (std::int64_t down = tile.firstDown; down < tile.endDown; ++down) {
        const float *source = tile.source + down * tile.nextRow;
        const float *weights = tile.weights + down * convolution.kernelWidth * kLanes;
        if constexpr (kStride > 0) {
            Values<kLanes> first, second, third;
            load<kLanes>(first, weights);
            load<kLanes>(second, weights + kLanes);
            load<kLanes>(third, weights + std::ptrdiff_t{2} * kLanes);
            unrolled<kPlaces>([&](auto place) STAGECRAFT_INLINED {
                const bool isOutside = (place == 0 && tile.isAtLeft) || (place == kPlaces - 1 && tile.isAtRight);
                if (!isOutside) {
                    Values<kLanes> value;
                    load<kLanes>(value, source);
                    heldInRegister<kLanes>(value);
                    if constexpr (place % kStride == 0 && place / kStride < kColumns)
                        sums[place / kStride] += value * first;
                    if constexpr (place >= 1 && (place - 1) % kStride == 0 && (place - 1) / kStride < kColumns)
                        sums[(place - 1) / kStride] += value * second;
                    if constexpr (place >= 2 && (place - 2) % kStride == 0 && (place - 2) / kStride < kColumns)
                        sums[(place - 2) / kStride] += value * third;
                }
                source += tile.nextTap;
            });
        } else {
            for (std::int64_t across = tile.firstAcross; across < tile.endAcross; ++across) {
                Values<kLanes> weight;
                load<kLanes>(weight, weights + across * kLanes);
                const float *from = source + across * tile.nextTap;
                unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED {
                    Values<kLanes> value;
                    load<kLanes>(value, from);
                    sums[column] += value * weight;
                    from += tile.nextColumn;
                });
            }
        }
    }
    finish<kLanes, kColumns>(sums, convolution.after, tile.written[0], tile.destinations[0], tile.nextOutPixel);
}

template <int kLanes, int kColumns, int kGroups>
STAGECRAFT_INLINE void denseTile(const TiledConvolution &convolution, const Tile &tile)
{
    Values<kLanes> sums[kGroups * kColumns];
    unrolled<kGroups * kColumns>([&](auto i)
                                     STAGECRAFT_INLINED { load<kLanes>(sums[i], tile.bias + i / kColumns * kLanes); });
    const std::int64_t taps = convolution.kernelHeight * convolution.kernelWidth;
    // Channels that lie side by side in the source.
    const std::int64_t adjacent = convolution.isBlocked ? kLanes : convolution.inChannels;
    for (std::int64_t first = 0; first < convolution.inChannels; first += adjacent) {
        const std::int64_t channels = std::min(adjacent, convolution.inChannels - first);
        const float *plane = tile.source + first / adjacent * tile.nextInBlock;
        const float *weights = tile.weights + first * taps * kLanes;
        for (std::int64_t down = tile.firstDown; down < tile.endDown; ++down) {
            for (std::int64_t across = tile.firstAcross; across < tile.endAcross; ++across) {
                const float *source = plane + down * tile.nextRow + across * tile.nextTap;
                const float *weight = weights + (down * convolution.kernelWidth + across) * adjacent * kLanes;
                for (std::int64_t channel = 0; channel < channels; ++channel, weight += kLanes) {
                    Values<kLanes> each[kGroups];
                    unrolled<kGroups>([&](auto group) STAGECRAFT_INLINED {
                        load<kLanes>(each[group], weight + group * tile.nextWeights);
                    });
                    unrolled<kColumns>([&](auto column) STAGECRAFT_INLINED {
                        const float value = source[column * tile.nextColumn + channel];
                        unrolled<kGroups>([&](auto group) STAGECRAFT_INLINED {
                            sums[group * kColumns + column] += each[group] * value;
                        });
                    });
                }
            }
        }
    }
    unrolled<kGroups>([&](auto group) STAGECRAFT_INLINED {
        finish<kLanes, kColumns>(sums + group * kColumns, convolution.after, tile.written[group],
                                 tile.destinations[group], tile.nextOutPixel);
    });
}

// kForm: -2, -1, 0: depthwise, for strides 2, 1 and any; above: dense, so many blocks of output channels.
template <int kLanes, int kColumns, int kForm>
STAGECRAFT_INLINE void tileOf(const TiledConvolution &convolution, const Tile &tile)
{
    if constexpr (kForm <= 0)
        depthwiseTile<kLanes, kColumns, -kForm>(convolution, tile);
    else
        denseTile<kLanes, kColumns, kForm>(convolution, tile);
}

template <int kColumns, int kForm>
STAGECRAFT_AVX512 void tileOf16(const TiledConvolution &convolution, const Tile &tile)
{
    tileOf<16, kColumns, kForm>(convolution, tile);
}

template <int kColumns, int kForm>
STAGECRAFT_AVX2 void tileOf8(const TiledConvolution &convolution, const Tile &tile)
{
    tileOf<8, kColumns, kForm>(convolution, tile);
}

using Columns = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14>;

constexpr int kDepthwiseForms = 3;
using Forms = std::array<RunTile, kDepthwiseForms + kMostTileBlocks>;

template <int kColumns>
constexpr Forms formsOf16()
{
    return {tileOf16<kColumns, -2>, tileOf16<kColumns, -1>, tileOf16<kColumns, 0>, tileOf16<kColumns, 1>,
            tileOf16<kColumns, 2>,  tileOf16<kColumns, 3>,  tileOf16<kColumns, 4>};
}
template <int kColumns>
constexpr Forms formsOf8()
{
    return {tileOf8<kColumns, -2>, tileOf8<kColumns, -1>, tileOf8<kColumns, 0>, tileOf8<kColumns, 1>,
            tileOf8<kColumns, 2>,  tileOf8<kColumns, 3>,  tileOf8<kColumns, 4>};
}

// By lanes, width of the tile, form.
template <int... kColumns>
constexpr std::array<std::array<Forms, sizeof...(kColumns)>, 2> tableOf(std::integer_sequence<int, kColumns...>)
{
    return {{{formsOf8<kColumns>()...}, {formsOf16<kColumns>()...}}};
}

constexpr auto kTiles = tableOf(Columns{});

template <int... kColumns>
std::vector<int> listOf(std::integer_sequence<int, kColumns...>)
{
    return {kColumns...};
}

// Rows and columns of the output whose windows lie inside the source; the others are computed one by one.
struct Inside {
    std::int64_t first = 0;
    std::int64_t end = 0;
};

Inside insideOf(std::int64_t size, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                std::int64_t padding)
{
    const std::int64_t first = std::min(out, (padding + stride - 1) / stride);
    const std::int64_t last = size - 1 - (kernel - 1) * dilation + padding; // of the first tap, in padded places
    const std::int64_t end = last < 0 ? 0 : std::min(out, last / stride + 1);
    return {first, std::max(first, end)};
}

// The taps of the window that begins at `place` which are inside.
Inside tapsOf(std::int64_t place, std::int64_t size, std::int64_t kernel, std::int64_t dilation)
{
    const std::int64_t first = place >= 0 ? 0 : (-place + dilation - 1) / dilation;
    const std::int64_t end = place >= size ? 0 : std::min(kernel, (size - 1 - place) / dilation + 1);
    return {std::min(first, end), end};
}

// Input channels that the weights of an output channel are for.
std::int64_t paddedInputs(const TiledConvolution &convolution)
{
    if (convolution.isDepthwise)
        return 1;
    return convolution.isBlocked ? convolution.inBlocks() * convolution.lanes : convolution.inChannels;
}

AlignedFloats linesOf(const std::vector<float> &values)
{
    constexpr std::size_t kFloats = sizeof(FloatLine) / sizeof(float);
    AlignedFloats lines((values.size() + kFloats - 1) / kFloats);
    if (!values.empty())
        std::memcpy(static_cast<void *>(lines.data()), values.data(), values.size() * sizeof(float));
    return lines;
}

class Run {
public:
    Run(const TiledConvolution &convolution, const ConvolutionTiles &tiles, const float *source, const float *weights,
        const float *bias, float *destination)
        : m_what(convolution), m_tiles(tiles), m_source(source), m_weights(weights), m_bias(bias),
          m_destination(destination), m_isFlat(isFlat(convolution)), m_isThreeTaps(isThreeTaps(convolution)),
          m_group(convolution.isDepthwise ? 1 : std::clamp(tiles.blocks, 1, kMostTileBlocks)),
          m_groups((convolution.outBlocks() + m_group - 1) / m_group),
          m_groupPieces(tiles.order == ConvolutionTiles::Order::Columns ? 1 : m_groups),
          m_rows(std::max(1, tiles.rows)), m_rowPieces((convolution.outHeight + m_rows - 1) / m_rows),
          m_weightsOfBlock(convolution.kernelHeight * convolution.kernelWidth * convolution.lanes *
                           paddedInputs(convolution)),
          m_inPixel(convolution.isBlocked ? convolution.lanes : convolution.inChannels),
          m_outPixel(convolution.isBlocked ? convolution.lanes : convolution.outChannels),
          m_rowColumns(m_isFlat ? std::min(m_rows, convolution.outHeight) * convolution.outWidth
                                : convolution.outWidth),
          m_columns(columnsOf(m_rowColumns))
    {
    }

    void run() const
    {
        const std::int64_t pieces = m_what.batch * m_groupPieces * m_rowPieces;
#pragma omp parallel for schedule(static) if (m_tiles.isParallel)
        for (std::int64_t i = 0; i < pieces; ++i)
            piece(i);
    }

private:
    // Some output columns of a row, from `begin`.
    struct Columns {
        std::int64_t begin = 0;
        std::size_t width = 0; // which of tileColumns()
        Inside across;
    };

    void piece(std::int64_t i) const
    {
        const bool isByChannels = m_tiles.order == ConvolutionTiles::Order::Channels;
        const std::int64_t image = i / (m_groupPieces * m_rowPieces);
        const std::int64_t inImage = i % (m_groupPieces * m_rowPieces);
        const std::int64_t group = isByChannels ? inImage / m_rowPieces : inImage % m_groupPieces;
        const std::int64_t rows = isByChannels ? inImage % m_rowPieces : inImage / m_groupPieces;
        const std::int64_t begin = rows * m_rows;
        const std::int64_t end = std::min(m_what.outHeight, begin + m_rows);
        const Inside groups{group, m_groupPieces == 1 ? m_groups : group + 1};
        if (m_isFlat) { // its rows lie one behind the other, as one
            const std::int64_t columns = (end - begin) * m_what.outWidth;
            outputRow(image, groups, begin, columns == m_rowColumns ? m_columns : columnsOf(columns));
            return;
        }
        for (std::int64_t row = begin; row < end; ++row)
            outputRow(image, groups, row, m_columns);
    }

    [[nodiscard]] std::vector<Columns> columnsOf(std::int64_t outWidth) const
    {
        std::vector<Columns> all;
        const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t width, const Inside &across) {
            while (begin < end) {
                all.push_back({begin, widthFor(std::min(width, end - begin)), across});
                begin += tileColumns()[all.back().width];
            }
        };
        const auto addOneByOne = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t column = begin; column < end; ++column)
                add(column, column + 1, 1,
                    tapsOf(column * m_what.strideAcross - m_what.paddingLeft, m_what.width, m_what.kernelWidth,
                           m_what.dilationAcross));
        };
        const Inside inside = insideOf(m_what.width, m_what.outWidth, m_what.kernelWidth, m_what.strideAcross,
                                       m_what.dilationAcross, m_what.paddingLeft);
        const std::int64_t first = m_isThreeTaps ? 0 : inside.first;
        const std::int64_t end = m_isThreeTaps || m_isFlat ? outWidth : inside.end;
        addOneByOne(0, first);
        add(first, end, m_tiles.columns, {0, m_what.kernelWidth});
        addOneByOne(end, outWidth);
        return all;
    }

    void outputRow(std::int64_t image, const Inside &groups, std::int64_t row, const std::vector<Columns> &all) const
    {
        const std::int64_t place = row * m_what.strideDown - m_what.paddingTop;
        const Inside down = tapsOf(place, m_what.height, m_what.kernelHeight, m_what.dilationDown);
        const std::int64_t inPlane = m_what.height * m_what.width;
        const std::int64_t outPlane = m_what.outHeight * m_what.outWidth;
        const float *source =
            m_source + imageOffset(image, inPlane, m_what.inChannels) + place * m_what.width * m_inPixel;
        float *target =
            m_destination + imageOffset(image, outPlane, m_what.outChannels) + row * m_what.outWidth * m_outPixel;
        Tile tile;
        tile.nextInBlock = inPlane * m_what.lanes;
        tile.nextRow = m_what.dilationDown * m_what.width * m_inPixel;
        tile.nextTap = m_what.dilationAcross * m_inPixel;
        tile.nextColumn = m_what.strideAcross * m_inPixel;
        tile.nextOutPixel = m_outPixel;
        tile.nextWeights = m_weightsOfBlock;
        tile.firstDown = down.first;
        tile.endDown = down.end;
        for (const Columns &columns : all) {
            const std::int64_t column = columns.begin * m_what.strideAcross - m_what.paddingLeft;
            const std::int64_t width = tileColumns()[columns.width];
            const Forms &forms = kTiles[m_what.lanes == 16 ? 1 : 0][columns.width];
            tile.firstAcross = columns.across.first;
            tile.endAcross = columns.across.end;
            tile.isAtLeft = column < 0;
            tile.isAtRight = column + (width - 1) * m_what.strideAcross + 2 >= m_what.width;
            for (std::int64_t group = groups.first; group < groups.end; ++group) {
                const std::int64_t block = group * m_group;
                const std::int64_t blocks = m_what.isDepthwise ? 1 : std::min(m_group, m_what.outBlocks() - block);
                tile.source = source + column * m_inPixel + (m_what.isDepthwise ? offsetOf(block, inPlane) : 0);
                tile.weights = m_weights + block * m_weightsOfBlock;
                tile.bias = m_bias + block * m_what.lanes;
                for (std::int64_t i = 0; i < blocks; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    tile.destinations[k] = target + columns.begin * m_outPixel + offsetOf(block + i, outPlane);
                    tile.written[k] = m_what.lanes - ((block + i) * m_what.lanes - m_what.firstOf(block + i));
                }
                forms[formFor(blocks)](m_what, tile);
            }
        }
    }

    [[nodiscard]] std::int64_t imageOffset(std::int64_t image, std::int64_t plane, std::int64_t channels) const
    {
        const std::int64_t padded = (channels + m_what.lanes - 1) / m_what.lanes * m_what.lanes;
        return image * plane * (m_what.isBlocked ? padded : channels);
    }

    // Of the first channel of a block in its image.
    [[nodiscard]] std::int64_t offsetOf(std::int64_t block, std::int64_t plane) const
    {
        return m_what.isBlocked ? block * plane * m_what.lanes : m_what.firstOf(block);
    }

    [[nodiscard]] std::size_t formFor(std::int64_t blocks) const
    {
        if (!m_what.isDepthwise)
            return static_cast<std::size_t>(kDepthwiseForms + blocks - 1);
        return m_isThreeTaps ? static_cast<std::size_t>(2 - m_what.strideAcross) : 2;
    }

    [[nodiscard]] static std::size_t widthFor(std::int64_t columns)
    {
        const auto above = std::ranges::upper_bound(tileColumns(), columns);
        return static_cast<std::size_t>(above - tileColumns().begin()) - 1;
    }

    static bool isFlat(const TiledConvolution &what)
    {
        return what.kernelHeight == 1 && what.kernelWidth == 1 && what.strideDown == 1 && what.strideAcross == 1 &&
               what.outHeight == what.height && what.outWidth == what.width && what.paddingTop == 0 &&
               what.paddingLeft == 0;
    }

    // Depthwise, with at most one column of padding on either side.
    static bool isThreeTaps(const TiledConvolution &what)
    {
        return what.isDepthwise && what.kernelWidth == 3 && what.dilationAcross == 1 && what.strideAcross <= 2 &&
               what.paddingLeft <= 1 && (what.outWidth - 1) * what.strideAcross - what.paddingLeft + 2 <= what.width;
    }

    const TiledConvolution &m_what;
    const ConvolutionTiles &m_tiles;
    const float *m_source;
    const float *m_weights;
    const float *m_bias;
    float *m_destination;
    bool m_isFlat;        // pixel by pixel
    bool m_isThreeTaps;   // of depthwiseTile
    std::int64_t m_group; // blocks of output channels in a tile
    std::int64_t m_groups;
    std::int64_t m_groupPieces;
    std::int64_t m_rows;
    std::int64_t m_rowPieces;
    std::int64_t m_weightsOfBlock;
    std::int64_t m_inPixel; // distance of pixels
    std::int64_t m_outPixel;
    std::int64_t m_rowColumns; // of the output, in m_columns
    std::vector<Columns> m_columns;
};

} // namespace

const std::vector<int> &tileColumns()
{
    static const std::vector<int> columns = listOf(Columns{});
    return columns;
}

bool hasLanes(std::int64_t lanes)
{
#if defined(__x86_64__)
    return (lanes == 16 && __builtin_cpu_supports("avx512f")) ||
           (lanes == 8 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
    return lanes == 8 || lanes == 16;
#endif
}

bool canTile(const TiledConvolution &convolution)
{
    return hasLanes(convolution.lanes) && (convolution.isBlocked || convolution.outChannels >= convolution.lanes);
}

AlignedFloats tiledWeights(const TiledConvolution &convolution, const float *weights)
{
    const std::int64_t lanes = convolution.lanes;
    const std::int64_t taps = convolution.kernelHeight * convolution.kernelWidth;
    const std::int64_t inputs = convolution.isDepthwise ? 1 : convolution.inChannels;
    const std::int64_t padded = paddedInputs(convolution);
    const std::int64_t adjacent = convolution.isDepthwise || !convolution.isBlocked ? padded : lanes;
    std::vector<float> tiled(static_cast<std::size_t>(convolution.outBlocks() * lanes * padded * taps));
    // By block of output channels, adjacent input channels, tap, input channel, output channel.
    float *to = tiled.data();
    for (std::int64_t block = 0; block < convolution.outBlocks(); ++block) {
        for (std::int64_t first = 0; first < padded; first += adjacent) {
            for (std::int64_t tap = 0; tap < taps; ++tap) {
                for (std::int64_t in = first; in < first + adjacent; ++in) {
                    for (std::int64_t lane = 0; lane < lanes; ++lane, ++to) {
                        const std::int64_t out = convolution.firstOf(block) + lane;
                        if (in < inputs && out < convolution.outChannels)
                            *to = weights[(out * inputs + in) * taps + tap];
                    }
                }
            }
        }
    }
    return linesOf(tiled);
}

AlignedFloats tiledBias(const TiledConvolution &convolution, const float *bias)
{
    std::vector<float> tiled;
    for (std::int64_t block = 0; block < convolution.outBlocks(); ++block) {
        for (std::int64_t lane = 0; lane < convolution.lanes; ++lane) {
            const std::int64_t out = convolution.firstOf(block) + lane;
            tiled.push_back(bias && out < convolution.outChannels ? bias[out] : 0.0F);
        }
    }
    return linesOf(tiled);
}

void runTiled(const TiledConvolution &convolution, const ConvolutionTiles &tiles, const float *source,
              const float *weights, const float *bias, float *destination)
{
    Run(convolution, tiles, source, weights, bias, destination).run();
}

} // namespace stagecraft::cpu
