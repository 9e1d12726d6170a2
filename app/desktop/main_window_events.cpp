// The window's event handlers: show, close, resize, drag and drop, palette changes, keys.

#include "desktop/main_window.h"

#include "desktop/areas/area.h"
#include "desktop/drop_hint.h"
#include "desktop/frame/panels.h"
#include "desktop/work/jobs.h"
#include "widgets/base/selection.h"

#include <QAction>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDragLeaveEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QUrl>

namespace stagecraft {
namespace {

QStringList localFiles(const QMimeData &dragged)
{
    QStringList paths;
    for (const QUrl &url : dragged.urls()) {
        if (url.isLocalFile())
            paths << url.toLocalFile();
    }
    return paths;
}

} // namespace

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!mayClose()) {
        event->ignore();
        return;
    }
    saveArrangement();
    endSession();
    m_plannedSearches.clear();
    m_jobs->cancelSearch();
    m_jobs->cancelMeasuring();
    event->accept();
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    fitScreen();
    fitToolBar();
    m_panels->arrangeAtFirst();
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    fitScreen();
    fitToolBar();
    m_panels->fitRoom();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QStringList paths = localFiles(*event->mimeData());
    if (paths.isEmpty())
        return;
    m_dropHint->showFor(paths);
    event->acceptProposedAction();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent *event)
{
    m_dropHint->hide();
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent *event)
{
    m_dropHint->hide();
    openPaths(localFiles(*event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_statusSearch) {
        applyIcons();
        for (Area *area : m_areaList)
            area->changePalette();
        showStatus();
    }
    QMainWindow::changeEvent(event);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape) {
        QMainWindow::keyPressEvent(event);
    } else if (m_messages->isVisible()) {
        m_messages->dismiss();
    } else {
        m_selection->clear();
    }
}

} // namespace stagecraft
