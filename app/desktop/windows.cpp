#include "desktop/windows.h"

#include "desktop/areas/session_area.h"
#include "desktop/frame/message_bar.h"
#include "desktop/main_window.h"
#include "support/error_text.h"

#include <QFile>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr std::size_t kMostKept = 20; // of closed windows; older ones are deleted
constexpr std::size_t kMostOffered = 3;
constexpr QPoint kBeside(32, 32); // offset from one window to the next

} // namespace

Windows::Windows(Services services, std::optional<std::filesystem::path> folder, QObject *parent)
    : QObject(parent), m_services(std::move(services)), m_folder(std::move(folder))
{
    if (!m_services.measurers)
        m_services.measurers = std::make_shared<Measurers>(m_services.findDevice, m_services.latencyStore);
}

Windows::~Windows()
{
    for (MainWindow *window : all())
        delete window;
}

std::vector<MainWindow *> Windows::all() const
{
    std::vector<MainWindow *> windows;
    for (const QPointer<MainWindow> &window : m_windows) {
        if (window)
            windows.push_back(window);
    }
    return windows;
}

MainWindow *Windows::make()
{
    const std::vector<MainWindow *> before = all();
    auto *window = new MainWindow(m_services);
    window->setAttribute(Qt::WA_DeleteOnClose);
    if (!before.empty())
        window->move(before.back()->pos() + kBeside);
    connect(window->session(), &SessionArea::windowWanted, this, [this](const QString &path) {
        MainWindow *next = open();
        next->show();
        if (!path.isEmpty())
            next->openPath(path);
    });
    connect(window->session(), &SessionArea::continueWanted, this,
            [this, window](const QString &path) { continueIn(window, path); });
    connect(window, &QObject::destroyed, this, &Windows::refreshEmptyPages, Qt::QueuedConnection); // once it is gone
    m_windows.emplace_back(window);
    return window;
}

MainWindow *Windows::open()
{
    MainWindow *window = make();
    if (m_folder) {
        if (auto file = AutosaveFile::create(*m_folder))
            window->session()->keepIn(std::move(*file));
        else
            window->messages()->show(MessageBar::Kind::Warning,
                                     QStringLiteral("This window cannot be saved automatically: %1")
                                         .arg(QString::fromStdString(errorText(file.error()))));
    }
    refreshEmptyPages();
    return window;
}

std::size_t Windows::restoreInterrupted()
{
    std::size_t restored = 0;
    std::size_t closed = 0;
    for (const KeptSession &kept : m_folder ? keptSessions(*m_folder) : std::vector<KeptSession>{}) {
        auto file = AutosaveFile::take(kept.path);
        if (!file)
            continue;
        if (kept.note.isClosed) {
            if (++closed > kMostKept)
                file->remove();
            continue;
        }
        if (kept.endedTheProgram) // offered on the empty page instead
            continue;
        MainWindow *window = make();
        window->show();
        restoreIn(window, std::move(file));
        ++restored;
    }
    return restored;
}

void Windows::restoreIn(MainWindow *window, std::unique_ptr<AutosaveFile> file)
{
    file->beginRestoring();
    connect(
        window, &MainWindow::settled, window, [path = file->path()] { AutosaveFile::endRestoring(path); },
        Qt::SingleShotConnection);
    window->session()->continueFrom(std::move(file));
}

void Windows::continueIn(MainWindow *window, const QString &path)
{
    auto file = AutosaveFile::take(QFile::encodeName(path).toStdString());
    if (!file) { // another window took it first
        refreshEmptyPages();
        return;
    }
    if (!window->session()->isEmpty()) {
        window = make();
        window->show();
    }
    restoreIn(window, std::move(file));
    refreshEmptyPages();
}

void Windows::refreshEmptyPages()
{
    std::vector<KeptSession> left = m_folder ? keptSessions(*m_folder) : std::vector<KeptSession>{};
    std::erase_if(left, [](const KeptSession &kept) { return !kept.note.isClosed && !kept.endedTheProgram; });
    left.resize(std::min(left.size(), kMostOffered));
    for (MainWindow *window : all())
        window->session()->showRecent(left);
}

} // namespace stagecraft
