#pragma once

// The shelf: all results in a list by model, device and batch, with a filter field, a choice of order, and a field for
// notes. It shows a Shelf and changes nothing itself; requests are signals. Lives on the UI thread.
//
// Mouse: a click shows a result, its + shows it in another pane, Ctrl and Shift select several, a double click renames,
// the right button opens a menu; a click on the title of a group folds its rows away and lists them again. Keys: up and
// down, Enter shows, left and right fold and unfold a group; the window's actions have the rest.
// Where space is short it folds to badges.

#include "widgets/shelf/shelf_rows.h"

#include <QWidget>

#include <map>
#include <memory>
#include <vector>

class QAbstractItemView;
class QLineEdit;
class QToolButton;

namespace stagecraft {

class ShelfView : public QWidget {
    Q_OBJECT

public:
    // The shelf must outlive the view.
    explicit ShelfView(const Shelf &shelf, QWidget *parent = nullptr);
    ~ShelfView() override;

    void refresh(const ShelfContext &context);           // the shelf or the context has changed
    void refreshRow(ResultId id);                        // one row only
    void showTimeLeft(ResultId id, const QString &text); // of a search; empty: unknown
    void showWaits(const std::map<ResultId, QString> &texts);

    [[nodiscard]] std::vector<ResultId> selected() const; // in list order
    [[nodiscard]] ResultId chosen() const;                // the result that keys and menus apply to; invalid: none
    void choose(ResultId id);                             // does not show it

    // Badges with their facts as tool tips, and a button that asks to unfold.
    void setFolded(bool folded);
    [[nodiscard]] bool isFolded() const;
    [[nodiscard]] QToolButton *unfoldButton() const;

    void startRename(); // these three ask to unfold first
    void startNote();
    void focusFilter();

    // The group of the result, if it is on the shelf.
    void setGroupFolded(ResultId id, bool folded);
    [[nodiscard]] bool isGroupFolded(ResultId id) const;
    [[nodiscard]] QRect groupRect(ResultId id) const; // of its title, in viewport coordinates of the list

    // The rows in the list now, with groups, for tests and screen readers; folded groups have none.
    [[nodiscard]] std::vector<ShelfRowGroup> rows() const;
    [[nodiscard]] std::vector<ShelfRowGroup> allRows() const; // ignores the filter; in list order
    [[nodiscard]] QAbstractItemView *list() const;
    [[nodiscard]] QRect rowRect(ResultId id) const;    // in viewport coordinates of the list; empty: not in the list
    [[nodiscard]] QRect chipRect(ResultId id) const;   // "Measure again" on a row, likewise
    [[nodiscard]] QRect besideRect(ResultId id) const; // the "+" on a row, likewise

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void showRequested(stagecraft::ResultId id);
    void besideRequested(stagecraft::ResultId id); // in another pane
    void renameRequested(stagecraft::ResultId id, const QString &name);
    void noteRequested(stagecraft::ResultId id, const QString &note);
    void measureAgainRequested(stagecraft::ResultId id);
    void menuRequested(const QPoint &globalPosition);
    void selectionChanged();
    void unfoldRequested();
    void openRequested(); // the empty shelf's action

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
