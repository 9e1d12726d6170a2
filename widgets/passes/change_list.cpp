#include "widgets/passes/change_list.h"

#include "operators/schema.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"

#include <QApplication>
#include <QLineEdit>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kChangePadding = 4;

// Two lines: what was taken, and what it is now.
class ChangeDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {120, 2 * option.fontMetrics.height() + 2 * kChangePadding};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        const QStyle *style = item.widget ? item.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &item, painter, item.widget);
        const Theme theme = themeFor(item.palette);
        const bool isChosen = (item.state & QStyle::State_Selected) != 0;
        const QColor ink = isChosen ? item.palette.color(QPalette::HighlightedText) : theme.text;
        const QRect inner = item.rect.adjusted(6, kChangePadding, -6, -kChangePadding);
        const auto line = [&](int row, const QString &text) { // names of exporters differ at their ends
            const int height = item.fontMetrics.height();
            const int indent = row * (height + 2);
            const QRect area(inner.left() + indent, inner.top() + row * height, inner.width() - indent, height);
            if (row > 0)
                painter->drawText(area.adjusted(-indent, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                                  QStringLiteral("\u2192"));
            painter->drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                              item.fontMetrics.elidedText(text, Qt::ElideLeft, area.width()));
        };
        painter->save();
        painter->setFont(item.font);
        painter->setPen(ink);
        line(0, index.data(ChangeListModel::BeforeRole).toString());
        painter->setPen(isChosen ? mixed(ink, item.palette.color(QPalette::Highlight), 0.2) : theme.mutedText);
        line(1, index.data(ChangeListModel::AfterRole).toString());
        painter->restore();
    }
};

} // namespace

void ChangeListModel::setReport(std::shared_ptr<const Model> model, const PassReport *report)
{
    beginResetModel();
    m_model = std::move(model);
    m_report = report;
    m_rows = report ? passChangeRows(*report) : std::vector<PassChangeRow>();
    filter();
    endResetModel();
}

void ChangeListModel::setFilter(const QString &text)
{
    beginResetModel();
    m_filter = text.trimmed();
    filter();
    endResetModel();
}

void ChangeListModel::filter()
{
    m_shown.clear();
    m_shown.reserve(m_rows.size());
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (matches(m_rows[i]))
            m_shown.push_back(i);
    }
}

bool ChangeListModel::matches(const PassChangeRow &row) const
{
    if (m_filter.isEmpty())
        return true;
    const auto has = [this](const std::string &text) {
        return QString::fromStdString(text).contains(m_filter, Qt::CaseInsensitive);
    };
    if (row.unit.isValid()) {
        const Operator &unit = m_model->graph->op(row.unit);
        if (has(unit.name) || has(displayType(unit)))
            return true;
    }
    return std::ranges::any_of(row.changes, [&](std::size_t change) {
        return has(m_report->changes[change].name) || has(m_report->changes[change].type);
    });
}

int ChangeListModel::rowOf(OperatorId unit) const
{
    const auto found = std::ranges::find(m_shown, unit, [this](std::size_t row) { return m_rows[row].unit; });
    return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
}

int ChangeListModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant ChangeListModel::data(const QModelIndex &index, int role) const
{
    const QString before = beforeText(*m_report, row(index.row()));
    const QString after = afterText(*m_model, *m_report, row(index.row()));
    switch (role) {
    case BeforeRole: return before;
    case AfterRole: return after;
    case Qt::DisplayRole: return QStringLiteral("%1 \u2192 %2").arg(before, after);
    case Qt::AccessibleTextRole: return QStringLiteral("%1, now %2").arg(before, after);
    case Qt::ToolTipRole: return QStringLiteral("Taken: %1\nNow: %2").arg(before, after);
    default: return {};
    }
}

ChangeList::ChangeList(QWidget *parent)
    : QWidget(parent), m_rows(new ChangeListModel(this)), m_list(new QListView(this)), m_filter(new QLineEdit(this)),
      m_hint(new ElidedLabel({}, this))
{
    m_list->setModel(m_rows);
    m_list->setItemDelegate(new ChangeDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(QStringLiteral("What the pass changed"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(QStringLiteral("Filter the changes by name or type"));
    m_hint->setObjectName(QStringLiteral("hint"));
    m_hint->setElideMode(Qt::ElideRight);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 4);
    column->setSpacing(4);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addWidget(m_hint);
    setTabOrder(m_filter, m_list);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_rows->setFilter(text);
        showCounts();
        emit chosen();
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { emit chosen(); });
}

void ChangeList::setReport(const std::shared_ptr<const Model> &model, const PassReport *report)
{
    m_rows->setReport(model, report);
    showCounts();
}

void ChangeList::showCounts()
{
    const auto all = static_cast<std::int64_t>(m_rows->rowsInAll());
    const std::int64_t shown = m_rows->rowCount();
    m_filter->setEnabled(all > 0);
    m_list->setEnabled(all > 0);
    m_filter->setPlaceholderText(all > 0 ? QStringLiteral("Filter %1 by name or type").arg(plural(all, "change"))
                                         : QStringLiteral("No changes"));
    m_hint->setVisible(shown < all);
    m_hint->setText(QStringLiteral("%1 of %2").arg(countText(shown), plural(all, "change")));
}

const PassChangeRow *ChangeList::current() const
{
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? &m_rows->row(index.row()) : nullptr;
}

void ChangeList::choose(OperatorId unit)
{
    const int row = m_rows->rowOf(unit);
    if (row < 0 || m_list->currentIndex().row() == row)
        return;
    m_list->setCurrentIndex(m_rows->index(row));
    m_list->scrollTo(m_rows->index(row));
}

QString ChangeList::countsText() const
{
    return m_hint->isVisibleTo(this) ? m_hint->text() : m_filter->placeholderText();
}

} // namespace stagecraft
