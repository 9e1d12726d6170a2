#pragma once

// The schedule of one result, with its name and a line of facts above. Next to other panes it has a letter and a close
// button, and is compared with the first pane.

#include "desktop/document/document.h"

#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>

class QAction;
class QToolButton;

namespace stagecraft {

class ElidedLabel;
class FactStrip;
class OverviewStrip;
class PageCanvas;
class PaneLetter;
class ScheduleEditTool;
class ScheduleView;
class Selection;
class StreamsEditTool;
class StreamsView;

// The same stages with the same latencies.
[[nodiscard]] bool isSameMeasured(const SchedulePtr &one, const SchedulePtr &other);

class SchedulePane : public QWidget {
    Q_OBJECT

public:
    explicit SchedulePane(Document *document, QWidget *parent = nullptr);

    // Their keys work in the page of stages, or of streams.
    void addPageActions(const QList<QAction *> &ofStages, const QList<QAction *> &ofStreams);
    void setResult(ResultId id); // invalid: the empty state
    void refresh();              // the document has changed
    [[nodiscard]] ResultId result() const { return m_shown.id; }
    [[nodiscard]] const RatedResult &shown() const { return m_shown; }
    [[nodiscard]] const SchedulePtr &schedule() const { return m_shown.schedule; }
    [[nodiscard]] ModelPtr model() const;

    // An empty letter: the only pane. `first`: the result it is compared with; its own if it is the first.
    void setPlace(const QString &letter, bool isFocused, ResultId first);

    [[nodiscard]] ScheduleView *view() const { return m_view; } // hidden and empty where the schedule has streams
    [[nodiscard]] StreamsView *streams() const { return m_streams; }
    [[nodiscard]] PageCanvas *page() const; // the one of the two that is shown
    [[nodiscard]] ScheduleEditTool *editTool() const { return m_editTool; }
    [[nodiscard]] StreamsEditTool *streamsTool() const { return m_streamsTool; }
    void refreshMarks();
    void showOriginal(bool held);                                      // shows the source of the edit instead
    [[nodiscard]] Selection *selection() const { return m_selection; } // of stages of its own schedule
    [[nodiscard]] QToolButton *closeButton() const { return m_close; }
    [[nodiscard]] QToolButton *addButton() const { return m_add; }
    [[nodiscard]] OverviewStrip *overview() const { return m_overview; }
    // The parts of its title; if space is short, parts that all panes share are dropped first.
    [[nodiscard]] const QStringList &titleParts() const { return m_titleParts; }
    void setCommonParts(const QStringList &parts, bool isOnlyOfItsName);
    [[nodiscard]] QString shownTitle() const; // as far as it fits
    [[nodiscard]] QString titleText() const;
    [[nodiscard]] QString summaryText() const;
    [[nodiscard]] QString letter() const;

signals:
    void closePressed();
    void measureAgainPressed();
    void addPressed(); // another result in a new pane
    void editRequested(const stagecraft::Edit &edit);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void showSummary();
    void setEditContext();
    void showIcons();
    void shortenTitle();

    Document *m_document;
    Selection *m_selection;
    PaneLetter *m_letter;
    ElidedLabel *m_title;
    QToolButton *m_again; // if its latency was disturbed
    QToolButton *m_add;
    QToolButton *m_close;
    FactStrip *m_summary;
    ScheduleView *m_view;
    StreamsView *m_streams; // in its place where the schedule has streams
    ScheduleEditTool *m_editTool;
    StreamsEditTool *m_streamsTool;
    OverviewStrip *m_overview;
    QStringList m_titleParts;
    QStringList m_commonParts;
    bool m_isOnlyOfItsName = true;
    RatedResult m_shown;
    ResultId m_first;
    bool m_isFocused = false;
    bool m_showsOriginal = false;
};

} // namespace stagecraft
