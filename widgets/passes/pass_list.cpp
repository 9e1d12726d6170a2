#include "widgets/passes/pass_list.h"

#include "widgets/base/theme.h"

#include <QApplication>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kPassPadding = 6;
constexpr int kBetween = 2; // the lines

class PassDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {200, 2 * option.fontMetrics.height() + kBetween + 2 * kPassPadding};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QStyle *style = item.widget ? item.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &item, painter, item.widget);
        drawBox(painter, item, style);
        const PassRow &row = static_cast<const PassListModel *>(index.model())->row(index.row());
        drawText(painter, item, row);
    }

    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override
    {
        const bool isClick = event->type() == QEvent::MouseButtonRelease &&
                             boxOf(option).contains(static_cast<QMouseEvent *>(event)->position().toPoint());
        const bool isKey = event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Space;
        if (!isClick && !isKey)
            return false;
        const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return model->setData(index, isOn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
    }

private:
    static QRect boxOf(const QStyleOptionViewItem &option)
    {
        const int side = option.fontMetrics.height() + 4; // to be hit
        return {option.rect.left() + 2, option.rect.top() + kPassPadding - 2, side, side};
    }

    static void drawBox(QPainter *painter, const QStyleOptionViewItem &item, const QStyle *style)
    {
        QStyleOptionViewItem box = item;
        const int side = style->pixelMetric(QStyle::PM_IndicatorWidth, nullptr, item.widget);
        box.rect = QRect(0, 0, side, side);
        box.rect.moveCenter(boxOf(item).center());
        box.state &= ~(QStyle::State_HasFocus | QStyle::State_Selected);
        box.state |= item.checkState == Qt::Checked ? QStyle::State_On : QStyle::State_Off;
        if ((item.features & QStyleOptionViewItem::HasCheckIndicator) == 0)
            box.state &= ~QStyle::State_Enabled;
        style->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, item.widget);
    }

    static void drawText(QPainter *painter, const QStyleOptionViewItem &item, const PassRow &row)
    {
        const Theme theme = themeFor(item.palette);
        const bool isChosen = (item.state & QStyle::State_Selected) != 0;
        const QColor ink = isChosen ? item.palette.color(QPalette::HighlightedText) : theme.text;
        const QColor muted = isChosen ? mixed(ink, item.palette.color(QPalette::Highlight), 0.2) : theme.mutedText;
        const int line = item.fontMetrics.height();
        const QRect inner = item.rect.adjusted(boxOf(item).width() + 8, kPassPadding, -8, -kPassPadding);
        QRect first(inner.left(), inner.top(), inner.width(), line);
        QFont bold = item.font;
        bold.setWeight(QFont::DemiBold);
        const int room = first.width() - QFontMetrics(bold).horizontalAdvance(row.name) - 8;
        const bool fits = item.fontMetrics.horizontalAdvance(row.outcome) <= room;
        const QString outcome = fits ? row.outcome : row.shortOutcome; // the name goes first
        const int right = item.fontMetrics.horizontalAdvance(outcome) + 8;
        painter->save();
        painter->setFont(item.font);
        painter->setPen(row.operators > 0 ? ink : muted);
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, outcome);
        painter->setFont(bold);
        painter->setPen(row.whyNot.isEmpty() ? ink : muted);
        first.setRight(first.right() - right);
        painter->drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                          QFontMetrics(bold).elidedText(row.name, Qt::ElideRight, first.width()));
        painter->setFont(item.font);
        painter->setPen(muted);
        const QRect second(inner.left(), first.bottom() + 1 + kBetween, inner.width(), line);
        painter->drawText(
            second, Qt::AlignLeft | Qt::AlignVCenter,
            item.fontMetrics.elidedText(row.whyNot.isEmpty() ? row.what : row.whyNot, Qt::ElideRight, second.width()));
        painter->restore();
    }
};

} // namespace

void PassListModel::setRows(std::vector<PassRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void PassListModel::setBusy(bool busy)
{
    if (m_isBusy == busy)
        return;
    m_isBusy = busy;
    if (!m_rows.empty())
        emit dataChanged(index(0), index(rowCount() - 1));
}

int PassListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant PassListModel::data(const QModelIndex &index, int role) const
{
    const PassRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.name;
    case Qt::CheckStateRole: return row.isOn && row.canSwitch ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole: {
        QString text = QStringLiteral("%1: %2.\n%3.").arg(row.name, row.outcome, row.what);
        if (!row.whyNot.isEmpty())
            text += QLatin1Char('\n') + row.whyNot;
        if (m_isBusy)
            return text + QStringLiteral("\nThe model is being read: it can be switched when that is done.");
        if (!row.canSwitch)
            return text + QStringLiteral("\nFile > How it is read chooses other units.");
        return text + (row.isOn ? QStringLiteral("\nThe box, or the space bar, reads the model again without it.")
                                : QStringLiteral("\nThe box, or the space bar, reads the model again with it."));
    }
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2. %3. %4").arg(row.name, row.outcome, row.what, row.whyNot).trimmed();
    default: return {};
    }
}

Qt::ItemFlags PassListModel::flags(const QModelIndex &index) const
{
    Qt::ItemFlags flags = QAbstractListModel::flags(index);
    if (index.isValid() && row(index.row()).canSwitch && !m_isBusy)
        flags |= Qt::ItemIsUserCheckable;
    return flags;
}

bool PassListModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (role != Qt::CheckStateRole || (flags(index) & Qt::ItemIsUserCheckable) == 0)
        return false;
    emit switchRequested(row(index.row()).name, value.toInt() == Qt::Checked);
    return true;
}

PassList::PassList(QWidget *parent) : QListView(parent), m_rows(new PassListModel(this))
{
    setModel(m_rows);
    setItemDelegate(new PassDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(NoEditTriggers);
    setUniformItemSizes(true);
    setAccessibleName(QStringLiteral("Passes, in the order in which they run"));
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { emit chosen(); });
}

QString PassList::current() const
{
    return currentIndex().isValid() ? m_rows->row(currentIndex().row()).name : QString();
}

void PassList::choose(const QString &pass)
{
    for (int i = 0; i < m_rows->rowCount(); ++i) {
        if (m_rows->row(i).name == pass) {
            setCurrentIndex(m_rows->index(i));
            scrollTo(m_rows->index(i));
        }
    }
}

void PassList::resizeEvent(QResizeEvent *event)
{
    QListView::resizeEvent(event);
    if (currentIndex().isValid())
        scrollTo(currentIndex());
}

QSize PassList::sizeHint() const
{
    return {300, 240};
}

} // namespace stagecraft
