#pragma once

// What another launch order would gain, for the stage on the inspector's page, on simulated devices: elsewhere many
// measurements would stand behind it. Works in the background. Lives on the UI thread.

#include "desktop/document/document.h"
#include "desktop/work/job_lane.h"
#include "measure/measurers.h"
#include "widgets/base/selection.h"
#include "widgets/inspector/launch_order_gain.h"

#include <QObject>

#include <deque>
#include <memory>
#include <optional>

namespace stagecraft {

class LaunchOrderGains : public QObject {
    Q_OBJECT

public:
    LaunchOrderGains(Document *document, std::shared_ptr<Measurers> measurers, QObject *parent = nullptr);

    // Of the stage that is selected in the current result; empty until known, and where there is no order to choose.
    [[nodiscard]] std::optional<LaunchOrderGain> gainFor(const Selected &selected) const;
    [[nodiscard]] bool isBusy() const { return m_lane.isBusy(); }

    void request(const Selected &selected);

signals:
    void changed();
    void failed(const stagecraft::Error &error);
    void busyChanged();

private:
    struct Asked {
        ResultId id;
        Stage stage; // of the result, which may be edited

        friend bool operator==(const Asked &, const Asked &) = default;
    };
    struct Known {
        Asked asked;
        std::optional<LaunchOrderGain> gain; // empty: the device refused
    };

    [[nodiscard]] std::optional<Asked> askedBy(const Selected &selected) const;
    void start(const Asked &asked);

    Document *m_document;
    std::shared_ptr<Measurers> m_measurers;
    std::deque<Known> m_known; // the most recent ones
    std::optional<Asked> m_underWay;
    JobLane m_lane; // last member: its work uses the others
};

} // namespace stagecraft
