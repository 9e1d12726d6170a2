#pragma once

// Identifies a stage apart from names: operator types, attributes, shapes, group structure and shared inputs. Stages
// with the same signature are isomorphic, so they take equally long on a device; isomorphic stages have the same
// signature wherever in the model they are (repeated cells of a network).
//
// The signature is a 128-bit hash of a canonical description. Colours of operators and outside tensors are refined
// until they are stable (Weisfeiler-Leman), ties are broken one at a time, and the stage is described in that order.
// Signatures are the same in every run and on every machine, so they can be keys of a store.

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

// Computes signatures of stages of one graph, which must outlive it. Threads: used by one thread at a time.
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
