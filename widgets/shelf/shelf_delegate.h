#pragma once

// Draws a row of the shelf: name and latency, what made it and how it compares, a bar, and where there is something to
// say a third line. Edits the name in its place.

#include "widgets/shelf/shelf_rows.h"

#include <QStyledItemDelegate>

namespace stagecraft {

inline constexpr int kShelfRowRole = Qt::UserRole + 1;    // a ShelfRow; none: the title of a group
inline constexpr int kShelfFitsRole = Qt::UserRole + 2;   // of a group: whether the next search is for it
inline constexpr int kShelfDeviceRole = Qt::UserRole + 3; // of a group

class ShelfDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

    // Where "Measure again" stands on a row of that place; empty: the row has none.
    [[nodiscard]] static QRect chipRect(const ShelfRow &row, const QStyleOptionViewItem &option);
    // Where the "+" stands that opens the row in a pane more; empty: it cannot be opened yet.
    [[nodiscard]] static QRect besideRect(const ShelfRow &row, const QStyleOptionViewItem &option);

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;
    void setModelData(QWidget *editor, QAbstractItemModel *model, const QModelIndex &index) const override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;

signals:
    void renamed(stagecraft::ResultId id, const QString &name) const;
};

} // namespace stagecraft
