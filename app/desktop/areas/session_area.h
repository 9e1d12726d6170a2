#pragma once

// The window's session: saving, opening, automatic saving, and finding missing models.

#include "desktop/areas/area.h"
#include "widgets/graph/overlay/empty_state.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class Autosave;
class AutosaveFile;
class JobLane;
struct KeptSession;
struct Model;
struct OpenedSession;

class SessionArea : public Area {
    Q_OBJECT

public:
    SessionArea(const AreaContext &context, const std::vector<Area *> &areas);
    ~SessionArea() override;

    void open(const QString &path); // in this window if it is empty, else emits windowWanted()
    bool save();                    // false: not saved
    bool saveAs();
    void findMissingModelsIn(const QString &path);         // the first one in this file, the others next to it
    void keepIn(std::unique_ptr<AutosaveFile> file);       // saves to this file on each change
    void continueFrom(std::unique_ptr<AutosaveFile> file); // the same, and restores what it holds; for empty windows
    void showRecent(const std::vector<KeptSession> &left); // on the empty page, with recently opened files
    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] bool hasFile() const { return !m_path.isEmpty(); } // saved under a name
    [[nodiscard]] bool isKept() const;                               // the current state is saved
    void touch();                                                    // something has changed
    [[nodiscard]] bool mayClose();                                   // asks where the session's file would lose changes
    void end();                                                      // the window closes

    void refresh() override;
    [[nodiscard]] bool isBusy() const override;
    void addTo(ExportSubject &subject) const override;

signals:
    void windowWanted(const QString &path);   // another window for this path; empty: an empty window
    void continueWanted(const QString &path); // restores this autosave file
    void deviceWanted(const QString &id, const std::function<void(bool isChosen)> &then);
    void restored(); // the document, and nothing else yet
    void shown();    // all of it, or models that were missing
    void kept();     // written automatically
    void startEntriesChanged(const std::vector<stagecraft::StartEntry> &left,
                             const std::vector<stagecraft::StartEntry> &recent);

private:
    [[nodiscard]] Session now() const;
    [[nodiscard]] Session toKeep(bool isClosed) const; // includes what the next start needs to know
    void read(const QString &path);
    void show(const QString &path, const OpenedSession &opened);
    void refuseFile(const QString &path, Error error);
    void tellOpened(const OpenedSession &opened, bool wasInterrupted);
    void findMissingModel();
    void showFound(const std::vector<std::shared_ptr<const Model>> &found, const std::optional<Error> &why);
    bool write(const QString &path);
    void showTitle();
    [[nodiscard]] bool isModified() const;

    const std::vector<Area *> &m_areas;
    JobLane *m_lane;           // reads files
    QString m_path;            // of its file; empty: none yet
    std::string m_savedDigest; // of the contents of that file
    Autosave *m_autosave = nullptr;
    std::unique_ptr<AutosaveFile> m_continued; // until it is read
    bool m_hasFailed = false;                  // saving failed and this was reported
};

[[nodiscard]] bool isSessionFile(const QString &path);

} // namespace stagecraft
