#include "widgets/blocks/blocks_table.h"

#include "widgets/blocks/blocks_model.h"
#include "widgets/format.h"
#include "widgets/selection.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPointer>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kColumnRoom = 8; // pixels

}

class BlocksTable::Private {
public:
    Private(BlocksTable *widget, Selection *shared);

    void fitColumns() const;
    void showSummary() const;
    void selectionChanged() const;
    void rowSelected() const;

    BlocksTable *q;
    QPointer<Selection> selection;
    std::shared_ptr<const Model> model;
    BlocksModel *rows;
    QSortFilterProxyModel *sorted;
    QTableView *table;
    QLabel *summary;
    QString searchTitle;
};

BlocksTable::Private::Private(BlocksTable *widget, Selection *shared)
    : q(widget), selection(shared), rows(new BlocksModel(widget)), sorted(new QSortFilterProxyModel(widget)),
      table(new QTableView(widget)), summary(new QLabel(widget))
{
    sorted->setSourceModel(rows);
    sorted->setSortRole(BlocksModel::kSortRole);
    table->setModel(sorted);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setWordWrap(false);
    table->setSortingEnabled(true);
    table->sortByColumn(BlocksModel::BlockNumber, Qt::AscendingOrder);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(26);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(44);
    table->setAccessibleName(tr("Blocks of the model"));
    summary->setObjectName(QStringLiteral("hint"));
    summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    summary->setContentsMargins(8, 4, 8, 6);
    auto *column = new QVBoxLayout(q);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(table, 1);
    column->addWidget(summary);
}

void BlocksTable::Private::fitColumns() const
{
    for (int column = BlocksModel::kFirstOfSearch; column < BlocksModel::ColumnCount; ++column)
        table->setColumnHidden(column, !rows->isSearched());
    table->resizeColumnsToContents();
    for (int column = 0; column < BlocksModel::ColumnCount; ++column)
        table->setColumnWidth(column, table->columnWidth(column) + kColumnRoom);
}

void BlocksTable::Private::showSummary() const
{
    if (!model) {
        summary->setText(tr("Open a model to see its blocks."));
        return;
    }
    const auto &blocks = rows->spaces().blocks;
    if (blocks.empty()) {
        summary->setText(tr("r and s must be at least 1 to search."));
        return;
    }
    std::size_t counted = 0;
    bool complete = true;
    double states = 0, transitions = 0;
    for (const auto &count : blocks) {
        if (!count)
            continue;
        ++counted;
        complete = complete && count->complete;
        states += static_cast<double>(count->states);
        transitions += static_cast<double>(count->transitions);
    }
    QString text = spaceText(rows->spaces().options) + QStringLiteral(": ");
    if (counted < blocks.size())
        text += tr("counting block %1 of %2 ...").arg(counted + 1).arg(blocks.size());
    else
        text += tr("%1%2 states, %3 transitions")
                    .arg(complete ? QString() : tr("more than "), magnitudeText(states), magnitudeText(transitions));
    if (rows->isSearched())
        text += tr(". Searched: %1").arg(searchTitle);
    summary->setText(text);
    summary->setToolTip(text);
}

void BlocksTable::Private::selectionChanged() const
{
    const auto &block = selection->current().block;
    if (!block || *block >= static_cast<std::size_t>(rows->rowCount())) {
        table->clearSelection();
        return;
    }
    const QModelIndex row = sorted->mapFromSource(rows->index(static_cast<int>(*block), 0));
    if (!table->selectionModel()->isRowSelected(row.row()))
        table->selectRow(row.row());
    table->scrollTo(row);
}

void BlocksTable::Private::rowSelected() const
{
    const QModelIndexList chosen = table->selectionModel()->selectedRows();
    if (!selection || chosen.isEmpty())
        return;
    selection->set({{}, {}, static_cast<std::size_t>(sorted->mapToSource(chosen.front()).row())});
}

BlocksTable::BlocksTable(Selection *selection, QWidget *parent)
    : QWidget(parent), m_private(std::make_unique<Private>(this, selection))
{
    Private &d = *m_private;
    connect(d.table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { m_private->rowSelected(); });
    if (selection)
        connect(selection, &Selection::changed, this, [this] { m_private->selectionChanged(); });
    d.fitColumns();
    d.showSummary();
}

BlocksTable::~BlocksTable() = default;

void BlocksTable::setModel(std::shared_ptr<const Model> model)
{
    m_private->model = model;
    m_private->rows->setModel(std::move(model));
    m_private->fitColumns();
    m_private->showSummary();
}

void BlocksTable::setSpaces(SpaceCounts spaces)
{
    m_private->rows->setSpaces(std::move(spaces));
    m_private->fitColumns();
    m_private->showSummary();
}

void BlocksTable::setCounts(std::size_t firstBlock, const std::vector<SpaceCount> &counts)
{
    m_private->rows->setCounts(firstBlock, counts);
    m_private->fitColumns();
    m_private->showSummary();
}

void BlocksTable::setSearch(const QString &title, std::vector<BlockSearch> search)
{
    m_private->searchTitle = title;
    m_private->rows->setSearch(std::move(search));
    m_private->fitColumns();
    m_private->showSummary();
}

QTableView *BlocksTable::table() const
{
    return m_private->table;
}

QString BlocksTable::summaryText() const
{
    return m_private->summary->text();
}

QSize BlocksTable::sizeHint() const
{
    return {470, 230};
}

} // namespace stagecraft
