#pragma once

// What is known of layouts since they were chosen: kept for each choice, and told of the current result. Why an
// operator does not run as it is fastest alone is worked out in the background when its page is shown. Kept until the
// window is closed. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "search/layouts/layout_choice.h"
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
    LayoutChoices(Document *document, Selection *selection, QObject *parent = nullptr);

    // Why none can be chosen for the current result; empty: they can.
    [[nodiscard]] QString whyNotChoose() const;
    void keep(ResultId id, const SchedulePtr &schedule, const std::shared_ptr<const LayoutChoice> &choice);
    [[nodiscard]] bool isBusy() const { return m_explaining.isBusy(); }

signals:
    // Of the current result.
    void changed(const std::shared_ptr<const stagecraft::LayoutCosts> &costs, const stagecraft::LayoutFacts &facts);
    void busyChanged();

private:
    struct Kept {
        RunContext settings;
        SchedulePtr schedule;
        std::shared_ptr<const LayoutChoice> choice;
        std::vector<std::pair<OperatorId, LayoutReason>> reasons; // known so far
    };

    [[nodiscard]] const Kept *ofCurrent(bool &isOwn) const; // null: nothing is known
    void addReason(const std::shared_ptr<const LayoutChoice> &choice, OperatorId op, const LayoutReason &reason);
    void show();
    void explain();

    Document *m_document;
    Selection *m_selection;
    std::vector<Kept> m_kept; // the newest last
    JobLane m_explaining;
};

} // namespace stagecraft
