#pragma once

// The windows of the program, each with its own document, sharing the same services. Each is saved to its own file
// (desktop/kept/autosave_file.h); files left by a killed program are restored in separate windows. Lives on the UI
// thread.

#include "desktop/kept/autosave_file.h"
#include "desktop/work/services.h"

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
    // Without a folder nothing is saved.
    Windows(Services services, std::optional<std::filesystem::path> folder, QObject *parent = nullptr);
    ~Windows() override; // closes nothing: the windows are restored at the next start

    MainWindow *open(); // a new one, not shown yet
    // Restores and shows the windows of programs that ended without closing them. Returns how many.
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
