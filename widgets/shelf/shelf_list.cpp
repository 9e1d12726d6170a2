#include "widgets/shelf/shelf_list.h"

#include "widgets/base/format.h"
#include "widgets/shelf/shelf_delegate.h"

#include <QItemSelectionModel>
#include <QScrollBar>
#include <QStandardItemModel>

#include <algorithm>
#include <utility>

namespace stagecraft {

// Makes long tool tips only when they are shown.
class ShelfModel : public QStandardItemModel {
public:
    using QStandardItemModel::QStandardItemModel;

    std::function<QString(ResultId id)> toolTip;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override
    {
        const QVariant row = role == Qt::ToolTipRole ? QStandardItemModel::data(index, kShelfRowRole) : QVariant();
        return row.isValid() ? QVariant(toolTip(row.value<ShelfRow>().id)) : QStandardItemModel::data(index, role);
    }
};

namespace {

void fill(QStandardItem *item, const ShelfRow &row)
{
    item->setData(QVariant::fromValue(row), kShelfRowRole);
    item->setText(row.name);
    item->setAccessibleText(row.spoken);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
}

void fill(QStandardItem *item, const ShelfRowGroup &group, bool isFolded)
{
    const QString folded =
        isFolded ? plural(static_cast<std::int64_t>(group.rows.size()), "result") + QStringLiteral(", folded")
                 : QString();
    const QString second = isFolded ? group.device + QStringLiteral(" · ") + folded : group.device;
    item->setText(group.title);
    item->setToolTip(group.title + QLatin1Char('\n') + second);
    item->setAccessibleText(group.title + QStringLiteral(", ") + group.device +
                            (isFolded ? QStringLiteral(", ") + folded : QString()));
    item->setData(group.fits, kShelfFitsRole);
    item->setData(second, kShelfDeviceRole);
    item->setData(isFolded, kShelfFoldedRole);
    item->setFlags(isFolded ? Qt::ItemIsEnabled : Qt::NoItemFlags); // keys go to it only to unfold it
}

} // namespace

ShelfList::ShelfList(QWidget *parent) : QListView(parent), m_model(new ShelfModel(this))
{
    setModel(m_model);
}

void ShelfList::setToolTips(std::function<QString(ResultId id)> toolTip)
{
    m_model->toolTip = std::move(toolTip);
}

void ShelfList::setGroups(std::vector<ShelfRowGroup> groups)
{
    const bool isSame = hasSamePlaces(groups);
    m_groups = std::move(groups);
    m_isFilling = true;
    if (isSame)
        fillInPlace();
    else
        fillAnew();
    m_isFilling = false;
}

void ShelfList::setRow(const ShelfRow &row)
{
    fill(m_model->itemFromIndex(indexOf(row.id)), row);
    for (ShelfRowGroup &group : m_groups)
        std::ranges::replace_if(
            group.rows, [&](const ShelfRow &before) { return before.id == row.id; }, row);
}

void ShelfList::setFolded(const ShelfRowGroup &of, bool folded)
{
    if (folded == isFolded(of) || isEditing())
        return;
    const RunContext settings = of.settings;
    if (folded)
        m_foldedGroups.push_back(settings);
    else
        std::erase(m_foldedGroups, settings);
    m_isFilling = true;
    fillAnew();
    m_isFilling = false;
    const QModelIndex title = titleOf(*std::ranges::find(m_groups, settings, &ShelfRowGroup::settings));
    if (!currentIndex().isValid())
        selectionModel()->setCurrentIndex(title, QItemSelectionModel::NoUpdate);
}

bool ShelfList::isFolded(const ShelfRowGroup &group) const
{
    return std::ranges::find(m_foldedGroups, group.settings) != m_foldedGroups.end();
}

const ShelfRowGroup *ShelfList::groupOf(const RunContext &settings) const
{
    const auto group = std::ranges::find(m_groups, settings, &ShelfRowGroup::settings);
    return group != m_groups.end() ? &*group : nullptr;
}

const ShelfRowGroup *ShelfList::groupAt(const QModelIndex &index) const
{
    int titles = -1;
    for (int row = 0; index.isValid() && row <= index.row(); ++row)
        titles += isResult(m_model->index(row, 0)) ? 0 : 1;
    return titles >= 0 ? &m_groups[static_cast<std::size_t>(titles)] : nullptr;
}

QModelIndex ShelfList::titleOf(const ShelfRowGroup &group) const
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex index = m_model->index(row, 0);
        if (!isResult(index) && groupAt(index) == &group)
            return index;
    }
    return {};
}

QModelIndex ShelfList::indexOf(ResultId id) const
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex index = m_model->index(row, 0);
        if (isResult(index) && rowAt(index).id == id)
            return index;
    }
    return {};
}

bool ShelfList::isResult(const QModelIndex &index)
{
    return index.isValid() && index.data(kShelfRowRole).isValid();
}

ShelfRow ShelfList::rowAt(const QModelIndex &index)
{
    return index.data(kShelfRowRole).value<ShelfRow>();
}

QStyleOptionViewItem ShelfList::optionAt(const QModelIndex &index) const
{
    QStyleOptionViewItem option;
    initViewItemOption(&option);
    option.rect = visualRect(index);
    return option;
}

bool ShelfList::hasSamePlaces(const std::vector<ShelfRowGroup> &next) const
{
    const auto sameIds = [](const ShelfRowGroup &one, const ShelfRowGroup &other) {
        return one.rows.size() == other.rows.size() &&
               std::ranges::equal(one.rows, other.rows, {}, &ShelfRow::id, &ShelfRow::id);
    };
    return m_groups.size() == next.size() && std::ranges::equal(m_groups, next, sameIds);
}

void ShelfList::fillAnew()
{
    std::vector<ResultId> selected;
    for (const QModelIndex &index : selectionModel()->selectedIndexes())
        selected.push_back(rowAt(index).id);
    const ResultId current = isResult(currentIndex()) ? rowAt(currentIndex()).id : ResultId();
    const int scrolled = verticalScrollBar()->value();
    m_model->clear();
    for (const ShelfRowGroup &group : m_groups) {
        auto *title = new QStandardItem;
        fill(title, group, isFolded(group));
        m_model->appendRow(title);
        if (isFolded(group))
            continue;
        for (const ShelfRow &row : group.rows) {
            auto *item = new QStandardItem;
            fill(item, row);
            m_model->appendRow(item);
        }
    }
    if (const QModelIndex index = indexOf(current); index.isValid())
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    for (const ResultId id : selected) {
        if (const QModelIndex index = indexOf(id); index.isValid())
            selectionModel()->select(index, QItemSelectionModel::Select);
    }
    doItemsLayout(); // the range of the scroll bar is known
    verticalScrollBar()->setValue(scrolled);
}

void ShelfList::fillInPlace()
{
    int at = 0;
    for (const ShelfRowGroup &group : m_groups) {
        fill(m_model->item(at++), group, isFolded(group));
        if (isFolded(group))
            continue;
        for (const ShelfRow &row : group.rows) {
            QStandardItem *item = m_model->item(at++);
            if (item->data(kShelfRowRole).value<ShelfRow>() != row)
                fill(item, row);
        }
    }
}

} // namespace stagecraft
