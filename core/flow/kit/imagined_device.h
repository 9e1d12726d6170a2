#pragma once

// A device that answers with what is known, or else with a guess, and keeps what it had to guess: what a search on the
// real one would ask for next, in that order.

#include "flow/kit/known_stages.h"
#include "flow/kit/stage_guesses.h"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace stagecraft {

struct AskedStage {
    Stage stage;
    StageSignature signature;
};

// The stages that were asked for, each signature once.
class AskedStages {
public:
    void add(const Stage &stage, const StageSignature &signature)
    {
        if (m_seen.emplace(signature, m_stages.size()).second)
            m_stages.push_back({stage, signature});
    }
    [[nodiscard]] bool has(const StageSignature &signature) const { return m_seen.contains(signature); }
    [[nodiscard]] const std::vector<AskedStage> &all() const { return m_stages; }
    [[nodiscard]] std::size_t size() const { return m_stages.size(); }

private:
    std::vector<AskedStage> m_stages;
    std::unordered_map<StageSignature, std::size_t> m_seen;
};

class ImaginedDevice : public StageLatencySource {
public:
    // A guess is taken `less` lower, as a share, than it is: a search that finds stages faster than they are asks for
    // more of them. Cancelled once `asked` has `most`.
    ImaginedDevice(const KnownStages &known, StageGuesses &guesses, double less, AskedStages &asked, std::size_t most)
        : m_known(known), m_guesses(guesses), m_less(less), m_asked(asked), m_most(most)
    {
    }

    Result<StageLatency> stageLatency(const StageQuestion &question, std::stop_token stop) override;
    bool isNoisy() const override { return m_known.isNoisy(); }
    BoundaryCost boundaryCost() const override { return m_known.boundaryCost(); }
    bool chainsAddUp() const override { return m_known.chainsAddUp(); }

private:
    const KnownStages &m_known;
    StageGuesses &m_guesses;
    double m_less;
    AskedStages &m_asked;
    std::size_t m_most;
};

} // namespace stagecraft
