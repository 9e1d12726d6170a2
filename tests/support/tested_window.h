#pragma once

// The window for tests and benches, and its parts as they are found in it.

#include "desktop/areas/device_area.h"
#include "desktop/areas/export_area.h"
#include "desktop/areas/layouts/layout_choices.h"
#include "desktop/areas/layouts_area.h"
#include "desktop/areas/open_area.h"
#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/search_area.h"
#include "desktop/areas/session_area.h"
#include "desktop/areas/shelf_area.h"
#include "desktop/areas/studies/pruning_studies.h"
#include "desktop/areas/studies/specialization_studies.h"
#include "desktop/areas/studies_area.h"
#include "desktop/dialogs/what_if_window.h"
#include "desktop/document/document.h"
#include "desktop/frame/area_cycle.h"
#include "desktop/frame/message_bar.h"
#include "desktop/frame/panels.h"
#include "desktop/frame/tool_overflow.h"
#include "desktop/kept/autosave_file.h"
#include "desktop/main_window.h"
#include "desktop/work/result_queue.h"
#include "desktop/work/services.h"
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

namespace stagecraft {

class TestedWindow : public MainWindow {
public:
    using MainWindow::MainWindow;

    void openModel(const QString &spec) { open()->openModel(spec); }
    void openPaths(const QStringList &paths) { open()->openPaths(paths); }
    void compareAll() { findChild<SearchArea *>()->compareAll(); }
    void showWhatIf() { findChild<DeviceArea *>()->showWhatIf(); }
    void chooseLayouts() { findChild<LayoutsArea *>()->choose(); }
    void measureAgain(ResultId id) { findChild<ShelfArea *>()->measureAgain(id); }
    ExportDialog *exportAs() { return findChild<ExportArea *>()->exportAs(); }
    void keepIn(std::unique_ptr<AutosaveFile> file) { session()->keepIn(std::move(file)); }
    void continueFrom(std::unique_ptr<AutosaveFile> file) { session()->continueFrom(std::move(file)); }
    [[nodiscard]] bool isEmpty() const { return session()->isEmpty(); }
    [[nodiscard]] bool isKept() const { return session()->isKept(); }
    void openSession(const QString &path) { session()->open(path); }
    bool saveSession() { return session()->save(); }
    bool saveSessionAs() { return session()->saveAs(); }
    void findMissingModelsIn(const QString &path) { session()->findMissingModelsIn(path); }

    [[nodiscard]] OpenArea *open() const { return findChild<OpenArea *>(); }
    [[nodiscard]] ResultQueue *queue() const { return findChild<ResultQueue *>(); }
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

} // namespace stagecraft
