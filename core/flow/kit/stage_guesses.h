#pragma once

// Guesses of latencies that nobody measured, to choose what is worth measuring. Proofs never use them.
//
// A simulated device says how the time of a stage relates to that of its operators alone; what is known says how long
// those take, and how far concurrency, chains and merges go beyond or stay behind the simulation on the device there.

#include "device/device.h"
#include "flow/kit/known_stages.h"

#include <memory>
#include <unordered_map>

namespace stagecraft {

class StageGuesses {
public:
    // `like`: open on the same graph. Learns from what is known now. Both must outlive it.
    StageGuesses(std::shared_ptr<const Graph> graph, const KnownStages &known, DeviceSession &like);

    // Greater than 0; what is known is taken as it is, but a stage that the device refused counts as if it had not.
    [[nodiscard]] double latencyUs(const Stage &stage, const StageSignature &signature);

    // No guess is below what the slowest of its groups takes.
    [[nodiscard]] double slowestGroupUs(const Stage &stage);

private:
    // What the operators or groups of a stage take: there, and simulated.
    struct Parts {
        double sumUs = 0, mostUs = 0;
        double simulatedSumUs = 0, simulatedMostUs = 0;
    };
    // How measured stages compare with what was guessed of them.
    struct Factor {
        double over = 0, under = 0;
        [[nodiscard]] double value() const { return under > 0 ? over / under : 1; }
    };

    void learn();
    [[nodiscard]] double guess(const Stage &stage);
    [[nodiscard]] Parts partsOf(const Stage &stage);
    [[nodiscard]] double simulatedUs(const Stage &stage);
    [[nodiscard]] double guessOf(const Stage &stage) { return latencyUs(stage, m_signer.sign(stage)); }

    std::shared_ptr<const Graph> m_graph;
    const KnownStages &m_known;
    DeviceSession &m_like;
    StageSigner m_signer;
    std::unordered_map<StageSignature, double> m_guessed;
    Factor m_alone, m_concurrent, m_chained, m_merged;
};

} // namespace stagecraft
