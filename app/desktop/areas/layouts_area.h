#pragma once

// One layout per tensor for the stages of a result: the action, and what comes of it.

#include "desktop/areas/area.h"

#include <memory>

namespace stagecraft {

class LayoutChoices;
struct ChosenLayouts;
struct LayoutCosts;
struct LayoutFacts;
struct LayoutsToChoose;

class LayoutsArea : public Area {
    Q_OBJECT

public:
    explicit LayoutsArea(const AreaContext &context);

    void choose(); // for the current result

    void refresh() override;

signals:
    // Of the current result.
    void choiceChanged(const std::shared_ptr<const stagecraft::LayoutCosts> &costs,
                       const stagecraft::LayoutFacts &facts);
    void wanted(const stagecraft::LayoutsToChoose &what); // in the place of a search
    void progressed(const QString &what, qint64 done, qint64 all);

private:
    void show(const ChosenLayouts &chosen);

    LayoutChoices *m_choices;
};

} // namespace stagecraft
