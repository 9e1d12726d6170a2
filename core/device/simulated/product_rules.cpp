#include "device/simulated/product_rules.h"

#include <fmt/format.h>
#include <utility>

namespace stagecraft {

namespace {

// With so few rows, a product is a matrix-vector product: one warp per column, limited by the bandwidth for the
// weights.
constexpr std::int64_t kVectorRows = 4;

// Operands are double-buffered in shared memory, so deep.
constexpr int kDepth = 8;
constexpr int kTensorDepthBytes = 64;

constexpr std::int64_t kMostParts = 64;
constexpr std::int64_t kLeastInner = 128; // of a part
constexpr double kPartBytes = 4;          // parts are added in float32

} // namespace

// Of the result: rows (pixels) x columns (output channels) per block, and rows x columns per thread. `slices`: so many
// warps share a tile, each with a part of the inner dimension.
struct ProductRules::Tile {
    int rows = 0;
    int columns = 0;
    int threads = 0;
    int registers = 0;
    int threadRows = 8;
    int threadColumns = 8;
    int slices = 1;

    // Multiply-adds among all instructions of a thread; the others load operands from shared memory, four at once.
    // `atOnce`: so many times the multiply-adds of an FMA are done by one instruction (on tensor cores).
    [[nodiscard]] double multiplyShare(double atOnce) const
    {
        const double multiplies = threadRows * threadColumns / atOnce;
        return multiplies / (multiplies + (threadRows + threadColumns) / 4.0);
    }
};

// Names, blocks and registers as profilers show them: cuDNN 7 (volta_scudnn_128x64_relu_small_nn_v1 and similar),
// cuBLAS 10 (volta_sgemm_32x128_nn, volta_sgemm_32x32_sliced1x4_nn), on tensor cores volta_h884cudnn_256x64_ldg8_...
// and volta_s884gemm_....
std::vector<ProductRules::Tile> ProductRules::tiles(TileSet set) const
{
    const bool ofCudnn = set != TileSet::Cublas && set != TileSet::CublasBatched;
    std::vector<Tile> tiles;
    if (!m_rules.onTensorCores()) {
        tiles = {{128, 128, 256, 128}, {128, 64, 128, 128}};
        if (ofCudnn) {
            tiles.insert(tiles.end(), {{128, 32, 128, 128, 8, 4}, {32, 128, 128, 128, 8, 4}});
            return tiles;
        }
        tiles.insert(tiles.end(), {{64, 128, 128, 128}, {64, 64, 64, 126}});
        if (set == TileSet::Cublas)
            tiles.insert(tiles.end(), {{128, 32, 256, 57, 4, 4},
                                       {32, 128, 256, 57, 4, 4},
                                       {32, 32, 128, 96, 8, 4, 4},
                                       {32, 64, 128, 126, 8, 8, 4},
                                       {64, 32, 128, 126, 8, 8, 4}});
        return tiles;
    }
    tiles = {{256, 128, 256, 240}, {128, 128, 256, 128, 8, 4}};
    if (set != TileSet::CudnnPadded)
        tiles.push_back({256, 64, 256, 128, 8, 4});
    if (set == TileSet::Cudnn)
        tiles.insert(
            tiles.end(),
            {{128, 64, 128, 128, 8, 4}, {64, 64, 128, 128, 4, 4}, {128, 32, 128, 96, 4, 4}, {64, 32, 128, 96, 4, 2}});
    if (!ofCudnn)
        tiles.insert(tiles.end(), {{128, 256, 256, 240},
                                   {128, 64, 128, 128, 8, 4},
                                   {64, 128, 128, 128, 4, 8},
                                   {64, 64, 128, 128, 4, 4},
                                   {64, 32, 128, 96, 4, 2},
                                   {32, 64, 128, 96, 2, 4}});
    return tiles;
}

double ProductRules::efficiency(TileSet set) const
{
    const bool ofCublas = set == TileSet::Cublas || set == TileSet::CublasBatched;
    const DeviceDescription &device = m_rules.device();
    const double ofConvolutions = m_rules.onTensorCores() ? device.tensorConvEfficiency : device.convEfficiency;
    return ofCublas || ofConvolutions == 0 ? device.gemmEfficiency : ofConvolutions;
}

Kernel ProductRules::tile(const std::string &name, const Product &product, const Tile &tile, double efficiency,
                          std::int64_t parts) const
{
    const bool onTensorCores = m_rules.onTensorCores();
    const std::int64_t step =
        (onTensorCores ? static_cast<std::int64_t>(kTensorDepthBytes / m_rules.elementBytes()) : kDepth) * tile.slices;
    const auto depth = static_cast<double>(ceilDiv(ceilDiv(product.inner, parts), step) * step);
    const auto results = static_cast<double>(product.rows * product.columns * product.count);
    const double tileResults = static_cast<double>(tile.rows) * tile.columns;
    const double operands = tile.rows + tile.columns; // of one step into the inner dimension
    Kernel kernel;
    kernel.name = fmt::format("{} {}x{}", name, tile.rows, tile.columns);
    if (parts > 1)
        kernel.name += fmt::format(", {} parts", parts);
    kernel.grid = {ceilDiv(product.rows, tile.rows), ceilDiv(product.columns, tile.columns), product.count * parts};
    kernel.threadsPerBlock = tile.threads;
    kernel.registersPerThread = tile.registers;
    kernel.sharedBytesPerBlock =
        static_cast<std::int64_t>(2 * static_cast<double>(step) * operands * m_rules.elementBytes());
    kernel.flops = 2 * results * static_cast<double>(product.inner);
    const double writtenBytes = parts > 1 ? results * static_cast<double>(parts) * kPartBytes : product.outputBytes;
    kernel.bytes = product.inputBytes + product.weightBytes + writtenBytes;
    kernel.latencyNsPerBlock = 1000 * m_rules.device().blockLatencyUs;
    // The efficiency is that of tiles in which a thread computes 8x8 results, or a warp on tensor cores 64x64.
    const DeviceDescription &device = m_rules.device();
    const double atOnce = onTensorCores ? m_rules.tensorFmaPerClock() / device.fp32FmaPerClockPerSm : 1;
    efficiency *= tile.multiplyShare(atOnce) / Tile{}.multiplyShare(atOnce);
    const double weightBytes = product.weightsAreMade ? m_rules.dramBytes(product.weightBytes) : product.weightBytes;
    m_rules.setNeeds(kernel, 2 * tileResults * depth / (m_rules.gemmFlopsPerNs() * efficiency),
                     weightBytes + m_rules.dramBytes(product.inputBytes) + m_rules.dramBytes(writtenBytes),
                     operands * depth * m_rules.elementBytes() +
                         tileResults * (parts > 1 ? kPartBytes : m_rules.bytesOfResult()));
    return kernel;
}

std::vector<Kernel> ProductRules::tiled(const std::string &name, const Product &product, TileSet set)
{
    Fastest fastest(m_rules);
    for (const Tile &each : tiles(set))
        fastest.offer({tile(name, product, each, efficiency(set), 1)});
    return std::move(fastest).take();
}

Product ProductRules::matrices(std::int64_t rows, std::int64_t columns, std::int64_t inner, std::int64_t count) const
{
    const auto all = static_cast<double>(count);
    return {.rows = rows,
            .columns = columns,
            .inner = inner,
            .count = count,
            .inputBytes = all * static_cast<double>(rows * inner) * m_rules.elementBytes(),
            .weightBytes = all * static_cast<double>(inner * columns) * m_rules.elementBytes(),
            .outputBytes = all * static_cast<double>(rows * columns) * m_rules.bytesOfResult()};
}

std::vector<Kernel> ProductRules::batched(const std::string &name, std::int64_t rows, std::int64_t columns,
                                          std::int64_t inner, std::int64_t count)
{
    if (count == 1)
        return product(name, rows, columns, inner);
    m_rules.beginProduct();
    const Product products = matrices(rows, columns, inner, count);
    return rows <= kVectorRows ? std::vector{vector(name, products)} : tiled(name, products, TileSet::CublasBatched);
}

std::vector<Kernel> ProductRules::product(const std::string &name, std::int64_t rows, std::int64_t columns,
                                          std::int64_t inner)
{
    m_rules.beginProduct();
    const Product product = matrices(rows, columns, inner, 1);
    if (rows <= kVectorRows)
        return {vector(name, product)};
    const double results = static_cast<double>(rows * columns);
    Fastest fastest(m_rules);
    const double share = efficiency(TileSet::Cublas);
    for (const Tile &each : tiles(TileSet::Cublas)) {
        fastest.offer({tile(name, product, each, share, 1)});
        for (std::int64_t parts = 2; parts <= kMostParts && inner / parts >= kLeastInner; parts *= 2) {
            const auto summands = static_cast<double>(parts);
            fastest.offer(
                {tile(name, product, each, share, parts),
                 m_rules.elementwise("sum of parts", rows * columns, summands * results * kPartBytes, summands - 1)});
        }
    }
    return std::move(fastest).take();
}

Kernel ProductRules::vector(const std::string &name, const Product &product) const
{
    constexpr int kWarps = 8;
    constexpr double kIntegersAtOnce = 4; // of 8 bits, in an instruction (DP4A) as in a load
    const auto rows = static_cast<double>(product.rows);
    const auto inner = static_cast<double>(product.inner);
    Kernel kernel;
    kernel.name = name + " vector";
    kernel.grid = {ceilDiv(product.columns, kWarps), 1, product.count};
    kernel.threadsPerBlock = kWarps * 32;
    kernel.registersPerThread = 32;
    kernel.flops = 2.0 * rows * static_cast<double>(product.columns * product.count) * inner;
    kernel.bytes = product.inputBytes + product.weightBytes + product.outputBytes;
    const double instructions = kWarps * inner * (1.0 + rows) / (m_rules.ofIntegers() ? kIntegersAtOnce : 1.0);
    m_rules.setNeeds(kernel, instructions / m_rules.issuePerNs(),
                     product.weightBytes + m_rules.dramBytes(product.inputBytes),
                     kWarps * inner * (1.0 + rows / kWarps) * m_rules.elementBytes());
    return kernel;
}

} // namespace stagecraft
