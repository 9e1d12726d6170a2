#pragma once

// Counts the search spaces of a model's blocks in the background, within a few seconds. Lives on the UI thread.

#include "desktop/work/job_lane.h"
#include "desktop/work/target.h"
#include "search/options.h"
#include "search/stages/count.h"

#include <QObject>

#include <cstddef>
#include <vector>

namespace stagecraft {

class SpaceCounting : public QObject {
    Q_OBJECT

public:
    explicit SpaceCounting(QObject *parent);

    void start(const ModelPtr &model, const SearchOptions &options); // replaces a running count
    void stop() { m_lane.cancel(); }
    [[nodiscard]] bool isBusy() const { return m_lane.isBusy(); }

signals:
    // States, transitions and schedules of blocks in order, several at a time.
    void counted(std::size_t firstBlock, const std::vector<stagecraft::SpaceCount> &counts);
    void busyChanged();

private:
    JobLane m_lane;
};

} // namespace stagecraft
