#pragma once

// Matrix products as kernels: one block computes one tile of the result, over the whole inner dimension or a part of
// it.

#include "device/simulated/kernel_rules.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

// `count` products of a (rows x inner) and an (inner x columns) matrix, and the bytes of all of them.
struct Product {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t inner = 1;
    std::int64_t count = 1;
    double inputBytes = 0;
    double weightBytes = 0;
    double outputBytes = 0;
    bool weightsAreMade = false; // by the kernel before: they may still be in the L2
};

// Which library's tiles there are to choose from.
enum class TileSet {
    Cublas,        // one product
    CublasBatched, // many small ones at once
    Cudnn,         // implicit products of convolutions
    CudnnStrided,  // the same for 1x1 with a stride: on tensor cores there are large tiles only
    CudnnPadded,   // the same on tensor cores for channels that were padded to a multiple of 8
};

class ProductRules {
public:
    // `rules` outlives it.
    explicit ProductRules(KernelRules &rules) : m_rules(rules) {}

    // With the tile that is fastest when it runs alone. Empty if no block fits an SM.
    [[nodiscard]] std::vector<Kernel> tiled(const std::string &name, const Product &product, TileSet tiles);
    // As cuBLAS runs a (rows x inner) times an (inner x columns) matrix: the same, or split over the inner dimension,
    // with a second kernel that adds the parts, where that is faster; a matrix-vector product with up to 4 rows.
    [[nodiscard]] std::vector<Kernel> product(const std::string &name, std::int64_t rows, std::int64_t columns,
                                              std::int64_t inner);
    // `count` products of that size with operands of their own, in one kernel; with up to 4 rows, matrix-vector
    // products.
    [[nodiscard]] std::vector<Kernel> batched(const std::string &name, std::int64_t rows, std::int64_t columns,
                                              std::int64_t inner, std::int64_t count);

private:
    struct Tile;
    [[nodiscard]] std::vector<Tile> tiles(TileSet set) const;
    [[nodiscard]] Product matrices(std::int64_t rows, std::int64_t columns, std::int64_t inner,
                                   std::int64_t count) const;
    [[nodiscard]] double efficiency(TileSet set) const; // share of the FMA peak
    [[nodiscard]] Kernel tile(const std::string &name, const Product &product, const Tile &tile, double efficiency,
                              std::int64_t parts) const;
    [[nodiscard]] Kernel vector(const std::string &name, const Product &product) const;

    KernelRules &m_rules;
};

} // namespace stagecraft
