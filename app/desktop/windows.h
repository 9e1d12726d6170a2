#pragma once

// The windows of the program: each with a document of its own, all with the same services. Each is kept in a file of
// its own (desktop/autosave_file.h); what a program that was killed left there comes back in windows of its own. Lives
// on the UI thread.

#include "desktop/autosave_file.h"
#include "desktop/jobs.h"

#include <QObject>
#include <QPointer>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace stagecraft {

class MainWindow;

class Windows : public QObject {
    Q_OBJECT

public:
    // Without a folder nothing is kept.
    Windows(Services services, std::optional<std::filesystem::path> folder, QObject *parent = nullptr);
    ~Windows() override; // closes nothing: what is there comes back at the next start

    MainWindow *open(); // a new one, not shown yet
    // What programs left that ended without closing their windows, in windows that are shown. How many.
    std::size_t restoreInterrupted();
    [[nodiscard]] std::vector<MainWindow *> all() const;

private:
    MainWindow *make();
    static void restoreIn(MainWindow *window, std::unique_ptr<AutosaveFile> file);
    void continueIn(MainWindow *window, const QString &path);
    void refreshEmptyPages();

    Services m_services;
    std::optional<std::filesystem::path> m_folder;
    std::vector<QPointer<MainWindow>> m_windows;
};

} // namespace stagecraft
