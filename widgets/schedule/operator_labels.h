#pragma once

// How the operators of a schedule are called on its page, where a box may be narrower than a name: what all operators
// of the stage or block have in common is cut first, so that what is left tells them apart. Whatever a name contains,
// it stays on one line and in reading order (widgets/base/shown_name.h).

#include "graph/graph.h"
#include "schedule/schedule.h"
#include "widgets/base/fitted_name.h"

#include <QFontMetrics>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

// Computed when asked for, so that a page of a million operators costs nothing until it is seen. For one thread.
class OperatorLabels {
public:
    OperatorLabels() = default; // of no schedule
    OperatorLabels(std::shared_ptr<const Graph> graph, std::shared_ptr<const Schedule> schedule);

    // At most that wide, all operators of a stage cut alike; empty where too little would be left to say anything.
    [[nodiscard]] QString fitted(OperatorId op, std::size_t stage, const QFontMetrics &metrics, int width) const;
    // From long to short, each telling the operator from the others of its stage.
    [[nodiscard]] QStringList texts(OperatorId op, std::size_t stage) const;

private:
    struct Ends {
        SharedEnds path;
        SharedEnds words;
    };
    [[nodiscard]] static Ends endsOf(const QStringList &names);
    [[nodiscard]] const Ends &ofBlock(std::size_t block) const;
    [[nodiscard]] const Ends &ofStage(std::size_t stage) const;
    [[nodiscard]] QString textAt(std::size_t level, OperatorId op, std::size_t stage) const;
    [[nodiscard]] std::size_t levelFor(std::size_t stage, const QFontMetrics &metrics, int width) const;

    struct Fit { // the level at which all operators of a stage fit
        int width = 0;
        int letterWidth = 0;
        std::size_t level = 0;
    };
    std::shared_ptr<const Graph> m_graph;
    std::shared_ptr<const Schedule> m_schedule;
    mutable std::vector<std::optional<Ends>> m_ofBlocks;
    mutable std::vector<std::optional<Ends>> m_ofStages;
    mutable std::vector<std::optional<Fit>> m_fits; // the last of each stage
};

} // namespace stagecraft
