#pragma once

// Keeps what a window has in its file, as it changes: written on a thread of its own, at once after a change and, where
// writing takes long, no more than half of the time; through to the disk once it is quiet. What is missing when the
// program is killed is what changed since the last writing began. Lives on the UI thread.

#include "desktop/autosave_file.h"
#include "desktop/job_lane.h"
#include "support/output_file.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <string>

namespace stagecraft {

class Autosave : public QObject {
    Q_OBJECT

public:
    // `session`: what there is now. Nothing is kept of a session without models and results.
    Autosave(std::unique_ptr<AutosaveFile> file, std::function<Session()> session, QObject *parent = nullptr);

    void touch();                     // something has changed
    void finish(const Session &last); // writes this, now; nothing is written any more
    void discard();                   // there is nothing to keep; nothing is written any more
    [[nodiscard]] bool isIdle() const { return !m_isChanged && !m_isWriting; }
    [[nodiscard]] const AutosaveFile &file() const { return *m_file; }

signals:
    void written(const std::string &digest); // of what
    void failed(const stagecraft::Error &error);

private:
    void write(Flush when);
    void ended();

    std::unique_ptr<AutosaveFile> m_file;
    std::function<Session()> m_session;
    std::unique_ptr<JobLane> m_lane; // none once nothing is written any more
    QTimer m_next;
    QTimer m_quiet; // nothing has changed for a while
    QElapsedTimer m_began;
    bool m_isChanged = false;
    bool m_isWriting = false;
};

} // namespace stagecraft
