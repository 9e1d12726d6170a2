#pragma once

// The shelf: every result in a list by model, device and batch, with a field to filter it, an order to choose, and a
// place for notes. It shows a Shelf and changes nothing: what a person asks for is a signal. Lives on the UI thread.
//
// Mouse: a click shows a result, its + shows it beside what is shown, Ctrl and Shift select several, a double click
// renames, the right button has a menu. Keys: up and down, Enter shows; the window's actions have the rest.

#include "widgets/shelf/shelf_rows.h"

#include <QWidget>

#include <memory>
#include <vector>

class QAbstractItemView;
class QLineEdit;

namespace stagecraft {

class ShelfView : public QWidget {
    Q_OBJECT

public:
    // The shelf has to outlive the view.
    explicit ShelfView(const Shelf &shelf, QWidget *parent = nullptr);
    ~ShelfView() override;

    void refresh(const ShelfContext &context);           // the shelf, or what it is held against, has changed
    void refreshRow(ResultId id);                        // one row of it
    void showTimeLeft(ResultId id, const QString &text); // of a search; empty: not known

    [[nodiscard]] std::vector<ResultId> selected() const; // in the order of the list
    [[nodiscard]] ResultId chosen() const;                // the one that keys and menus are about; not valid: none
    void choose(ResultId id);                             // without showing it

    void startRename();
    void startNote();
    void focusFilter();

    // What is in the list now, for tests and screen readers: as the rows say it, groups included.
    [[nodiscard]] std::vector<ShelfRowGroup> rows() const;
    [[nodiscard]] std::vector<ShelfRowGroup> allRows() const; // whatever the filter says, in the order of the list
    [[nodiscard]] QAbstractItemView *list() const;
    [[nodiscard]] QRect rowRect(ResultId id) const;    // in the list's viewport; empty: not in the list
    [[nodiscard]] QRect chipRect(ResultId id) const;   // "Measure again" on a row, likewise
    [[nodiscard]] QRect besideRect(ResultId id) const; // the "+" on a row, likewise

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void showRequested(stagecraft::ResultId id);
    void besideRequested(stagecraft::ResultId id); // in a pane more
    void renameRequested(stagecraft::ResultId id, const QString &name);
    void noteRequested(stagecraft::ResultId id, const QString &note);
    void measureAgainRequested(stagecraft::ResultId id);
    void menuRequested(const QPoint &globalPosition);
    void selectionChanged();
    void openRequested(); // the empty shelf's action

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
