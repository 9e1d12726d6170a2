#pragma once

// Saves a window's session to its file after each change, on its own thread: at once, but if writes take long, for at
// most half of the time; synced to the disk when changes pause. If the program is killed, only changes since the start
// of the last write are lost. Lives on the UI thread.

#include "desktop/kept/autosave_file.h"
#include "desktop/work/job_lane.h"
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
    // `session` returns the current session. Sessions without models and results are not saved.
    Autosave(std::unique_ptr<AutosaveFile> file, std::function<Session()> session, QObject *parent = nullptr);

    void touch();                     // something has changed
    void finish(const Session &last); // writes this session now; nothing is written afterwards
    void discard();                   // removes the file; nothing is written afterwards
    [[nodiscard]] bool isIdle() const { return !m_isChanged && !m_isWriting; }
    [[nodiscard]] const AutosaveFile &file() const { return *m_file; }

signals:
    void written(const std::string &digest); // digest of the written session
    void failed(const stagecraft::Error &error);

private:
    void write(Flush when);
    void ended();

    std::unique_ptr<AutosaveFile> m_file;
    std::function<Session()> m_session;
    std::unique_ptr<JobLane> m_lane; // null once nothing is written any more
    QTimer m_next;
    QTimer m_quiet; // runs out when changes pause
    QElapsedTimer m_began;
    bool m_isChanged = false;
    bool m_isWriting = false;
};

} // namespace stagecraft
