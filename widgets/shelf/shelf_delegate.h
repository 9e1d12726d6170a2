#pragma once

// Draws a row of the shelf, or its badge (shelf_badge.h) while the shelf is folded: name and latency, origin and
// comparison, a bar, and a third line if needed. Edits names in place.

#include "widgets/shelf/shelf_rows.h"

#include <QStyledItemDelegate>

namespace stagecraft {

inline constexpr int kShelfRowRole = Qt::UserRole + 1;    // a ShelfRow; if unset, the title of a group
inline constexpr int kShelfFitsRole = Qt::UserRole + 2;   // for groups: whether the next search belongs to it
inline constexpr int kShelfDeviceRole = Qt::UserRole + 3; // for groups
inline constexpr int kShelfFoldedRole = Qt::UserRole + 4; // for groups: whether its rows are hidden

class ShelfDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

    void setFolded(bool folded) { m_isFolded = folded; } // badges instead of rows
    [[nodiscard]] bool isFolded() const { return m_isFolded; }

    // The place of "Measure again" in a row; empty if the row has none.
    [[nodiscard]] static QRect chipRect(const ShelfRow &row, const QStyleOptionViewItem &option);
    // The place of the "+" that opens the row in another pane; empty if it cannot be opened yet.
    [[nodiscard]] static QRect besideRect(const ShelfRow &row, const QStyleOptionViewItem &option);

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;
    void setModelData(QWidget *editor, QAbstractItemModel *model, const QModelIndex &index) const override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

signals:
    void renamed(stagecraft::ResultId id, const QString &name) const;

private:
    bool m_isFolded = false;
};

} // namespace stagecraft
