#pragma once

// What a stage is, apart from names: operator types, attributes, shapes, group structure and which inputs are shared.
// Stages with the same signature are isomorphic, so they take equally long on a device; isomorphic stages get the same
// signature whatever their operators are called and wherever in the model they are (repeated cells of a network).
//
// The signature is a 128-bit hash of a canonical description: colours of operators and outside tensors are refined
// until they are stable (Weisfeiler-Leman), remaining ties are broken one at a time, and the stage is written down in
// that order. It is stable across runs and machines, so it can key a store.

#include "graph/graph.h"
#include "schedule/schedule.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

struct StageSignature {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    [[nodiscard]] std::string toHex() const; // 32 digits

    friend auto operator<=>(const StageSignature &, const StageSignature &) = default;
};

// Signs stages of one graph. Not for use by several threads at once. The graph must outlive it.
class StageSigner {
public:
    explicit StageSigner(const Graph &graph);
    ~StageSigner();
    StageSigner(StageSigner &&) noexcept;
    StageSigner &operator=(StageSigner &&) noexcept;

    // The stage is legal (schedule/verify.h).
    [[nodiscard]] StageSignature sign(const Stage &stage);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace stagecraft

template <>
struct std::hash<stagecraft::StageSignature> {
    std::size_t operator()(const stagecraft::StageSignature &signature) const noexcept { return signature.low; }
};
