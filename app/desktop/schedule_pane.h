#pragma once

// One schedule with tabs for all of them above and a line of facts. Shows the document's front schedule and asks for
// another when a tab is clicked.

#include <QWidget>

class QTabBar;

namespace stagecraft {

class Document;
class FactStrip;
class ScheduleView;
class Selection;

class SchedulePane : public QWidget {
    Q_OBJECT

public:
    SchedulePane(Document *document, Selection *selection, QWidget *parent = nullptr);

    [[nodiscard]] ScheduleView *view() const { return m_view; }
    [[nodiscard]] QTabBar *tabs() const { return m_tabs; }
    [[nodiscard]] QString summaryText() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void showTabs();
    void showFront();
    void showSummary();

    Document *m_document;
    QTabBar *m_tabs;
    FactStrip *m_summary;
    ScheduleView *m_view;
};

} // namespace stagecraft
