#pragma once

// What is known of layouts since they were chosen: kept for each choice, and told of the current result. Why an
// operator does not run as it is fastest alone is worked out in the background when its page is shown. Kept until the
// window is closed. Lives on the UI thread.

#include "desktop/document/document.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/layout_section.h"

#include <QObject>

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

class LayoutChoices : public QObject {
    Q_OBJECT

public:
    LayoutChoices(Document *document, Jobs *jobs, Selection *selection, QObject *parent = nullptr);

    // Why none can be chosen for the current result; empty: they can.
    [[nodiscard]] QString whyNotChoose() const;

signals:
    // Of the current result.
    void changed(const std::shared_ptr<const stagecraft::LayoutCosts> &costs, const stagecraft::LayoutFacts &facts);

private:
    struct Kept {
        MeasurementSettings settings;
        SchedulePtr schedule;
        std::shared_ptr<const LayoutChoice> choice;
        std::vector<std::pair<OperatorId, LayoutReason>> reasons; // known so far
    };

    [[nodiscard]] const Kept *ofCurrent(bool &isOwn) const; // null: nothing is known
    void keep(const ChosenLayouts &chosen);
    void addReason(const std::shared_ptr<const LayoutChoice> &choice, OperatorId op, const LayoutReason &reason);
    void show();
    void explain();

    Document *m_document;
    Jobs *m_jobs;
    Selection *m_selection;
    std::vector<Kept> m_kept; // the newest last
};

} // namespace stagecraft
