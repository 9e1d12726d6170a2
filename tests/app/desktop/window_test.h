#pragma once

// Shared by tests of the whole window: its views, separate settings, opening a model, and answering file dialogs.

#include "desktop/dialogs/what_if_window.h"
#include "desktop/document/document.h"
#include "desktop/frame/area_cycle.h"
#include "desktop/frame/message_bar.h"
#include "desktop/frame/panels.h"
#include "desktop/frame/tool_overflow.h"
#include "desktop/layout_choices.h"
#include "desktop/main_window.h"
#include "desktop/pane_row.h"
#include "desktop/pruning_studies.h"
#include "desktop/schedule_pane.h"
#include "desktop/specialization_studies.h"
#include "desktop/work/jobs.h"
#include "support/suite.h"
#include "widgets/blocks/blocks_table.h"
#include "widgets/comparison/comparison_table.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/inspector/inspector.h"
#include "widgets/passes/passes_panel.h"
#include "widgets/search/search_panel.h"
#include "widgets/shelf/shelf_view.h"
#include "widgets/study/pruning_view.h"
#include "widgets/study/specialization_view.h"
#include "widgets/timeline/timeline_view.h"

#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>

namespace stagecraft {

// Types the path into the next file dialog.
inline void answerFileDialog(const QString &path)
{
    auto *timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, path] {
        auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget());
        if (!dialog)
            return;
        timer->deleteLater();
        dialog->findChild<QLineEdit *>()->setText(path);
        dialog->QDialog::accept();
    });
    timer->start(5);
}

// The window, and its parts as they are found in it.
class TestedWindow : public MainWindow {
public:
    using MainWindow::MainWindow;

    [[nodiscard]] SearchPanel *searchPanel() const { return findChild<SearchPanel *>(); }
    [[nodiscard]] ShelfView *shelf() const { return findChild<ShelfView *>(); }
    [[nodiscard]] PaneRow *panes() const { return findChild<PaneRow *>(); }
    [[nodiscard]] SchedulePane *schedulePane() const { return panes()->focusedPane(); }
    [[nodiscard]] DifferenceTable *difference() const { return findChild<DifferenceTable *>(); }
    [[nodiscard]] ComparisonTable *comparison() const { return findChild<ComparisonTable *>(); }
    [[nodiscard]] PruningView *pruning() const { return findChild<PruningView *>(); }
    [[nodiscard]] PruningStudies *pruningStudies() const { return findChild<PruningStudies *>(); }
    [[nodiscard]] SpecializationView *specialization() const { return findChild<SpecializationView *>(); }
    [[nodiscard]] SpecializationStudies *specializationStudies() const { return findChild<SpecializationStudies *>(); }
    [[nodiscard]] BlocksTable *blocks() const { return findChild<BlocksTable *>(); }
    [[nodiscard]] Inspector *inspector() const { return findChild<Inspector *>(); }
    [[nodiscard]] TimelineView *timeline() const { return findChild<TimelineView *>(); }
    [[nodiscard]] WhatIfWindow *whatIf() const { return findChild<WhatIfWindow *>(); }
    [[nodiscard]] LayoutChoices *layoutChoices() const { return findChild<LayoutChoices *>(); }
    [[nodiscard]] PassesPanel *passes() const { return findChild<PassesPanel *>(); }
    [[nodiscard]] Panels *panels() const { return findChild<Panels *>(); }
    [[nodiscard]] AreaCycle *areas() const { return findChild<AreaCycle *>(); }
    [[nodiscard]] ToolOverflow *overflow() const { return findChild<ToolOverflow *>(); }
};

class WindowTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("StagecraftTest"));
        QCoreApplication::setApplicationName(QString::fromLatin1(metaObject()->className()));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }
    void init() { QSettings().clear(); }

protected:
    static void openAndWait(MainWindow &window, const QString &spec)
    {
        QSignalSpy opened(window.jobs(), &Jobs::opened);
        window.openModel(spec);
        QTRY_VERIFY(!opened.isEmpty());
        QTRY_VERIFY(window.jobs()->isIdle());
    }

    // The newest result of a kind that fits the tool bar; null if none has a schedule.
    static const ScheduleResult *resultOf(const MainWindow &window, ScheduleKind kind)
    {
        return window.document()->shelf().find(window.document()->newest(kind));
    }
    static SchedulePtr scheduleOf(const MainWindow &window, ScheduleKind kind)
    {
        const ScheduleResult *result = resultOf(window, kind);
        return result ? result->schedule : nullptr;
    }
    // A result's index among those that fit, as in the comparison.
    static std::size_t placeOf(const MainWindow &window, ResultId id)
    {
        const std::vector<ResultId> ids = window.document()->fitting();
        return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    }

    QString write(const QString &name, const QByteArray &content)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("a test could not write its input");
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

} // namespace stagecraft
