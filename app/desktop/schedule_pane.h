#pragma once

// The schedule of the result in front, below its name and a line of facts about it.

#include <QWidget>

namespace stagecraft {

class Document;
class ElidedLabel;
class FactStrip;
class ScheduleView;
class Selection;

class SchedulePane : public QWidget {
    Q_OBJECT

public:
    SchedulePane(Document *document, Selection *selection, QWidget *parent = nullptr);

    [[nodiscard]] ScheduleView *view() const { return m_view; }
    [[nodiscard]] QString titleText() const;
    [[nodiscard]] QString summaryText() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void showFront();
    void showSummary();

    Document *m_document;
    ElidedLabel *m_title;
    FactStrip *m_summary;
    ScheduleView *m_view;
};

} // namespace stagecraft
