#pragma once

// One layout per tensor for the stages of a result: the action, and what comes of it.

#include "desktop/areas/area.h"
#include "desktop/work/result_queue.h"

#include <memory>
#include <vector>

namespace stagecraft {

class LayoutChoices;
class SearchLine;
struct LayoutCosts;
struct LayoutFacts;
struct ResultBeside;

class LayoutsArea : public Area {
    Q_OBJECT

public:
    LayoutsArea(const AreaContext &context, SearchLine &searches);

    void choose(); // for the current result, in the place of a search

    void refresh() override;
    [[nodiscard]] bool isBusy() const override;

signals:
    // Of the current result.
    void choiceChanged(const std::shared_ptr<const stagecraft::LayoutCosts> &costs,
                       const stagecraft::LayoutFacts &facts);
    void progressed(const QString &what, qint64 done, qint64 all);

private:
    // Of the first one of `beside`; on a measuring device it is timed in rounds with all of them at the end.
    [[nodiscard]] ResultQueue::Work workOn(ResultId id, const Target &target, const std::vector<ResultBeside> &beside);

    SearchLine &m_searches;
    LayoutChoices *m_choices;
};

} // namespace stagecraft
