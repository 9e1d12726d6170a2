#pragma once

// Where the time goes, as a panel: the bars of one to four schedules and the steps from A to another, of the whole
// schedules or of a block. A click on a part, or Enter, asks for the stages where most of it is; one on a bar of
// another schedule leads the steps there. Arrow keys go from part to part, which screen readers read. Lives on the UI
// thread.

#include "widgets/comparison/time_parts_drawing.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QScrollArea;
class QStackedLayout;

namespace stagecraft {

class TimePartsChart : public QWidget {
    Q_OBJECT

public:
    explicit TimePartsChart(QWidget *parent = nullptr);

    // What the bars are of: the entries of a list above them.
    void setScopes(const QStringList &scopes);
    [[nodiscard]] int scope() const; // its place in the list; 0: the first, the whole
    void setScope(int scope);        // emits scopeChanged() if it is another

    // Without bars the hint is shown. The steps keep leading to the same place, and the keys stay at the same part.
    void setShown(ShownTimeParts shown);
    void setHint(const QString &hint);

    [[nodiscard]] const TimePartsDrawing &drawing() const { return m_drawing; }
    [[nodiscard]] std::optional<std::size_t> current() const { return m_current; }
    [[nodiscard]] QPoint markCentre(std::size_t mark) const; // on this widget, for tests
    [[nodiscard]] QWidget *page() const { return m_page; }
    void copy() const; // the table, and a picture

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void scopeChanged();
    // Of a bar; a step is the part's change from the first bar to that one.
    void partChosen(std::size_t bar, stagecraft::TimePart part, bool isStep);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void layOut(ShownTimeParts shown);
    void paintPage();
    bool pressKey(int key);
    void setCurrent(std::optional<std::size_t> mark);
    void choose(std::size_t mark);
    void tellCurrent();
    [[nodiscard]] QString tipOf(std::size_t mark) const;

    QComboBox *m_scopes;
    QLabel *m_hint;
    QScrollArea *m_scroll;
    QWidget *m_page;
    QStackedLayout *m_stack;
    TimePartsDrawing m_drawing;
    std::optional<std::size_t> m_current; // mark
};

} // namespace stagecraft
