#include "widgets/blocks/blocks_table.h"

#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/blocks/blocks_model.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPointer>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <limits>

namespace stagecraft {
namespace {

constexpr int kRoom = 24;      // pixels around the text of a column
constexpr int kLittleRoom = 9; // at small widths
constexpr int kSortArrow = 16;

// The order in which columns are hidden at small widths: the search's own counts first.
constexpr std::array kLeastImportantFirst{BlocksModel::SearchedStates, BlocksModel::SearchedTransitions,
                                          BlocksModel::CacheHits,      BlocksModel::Bound,
                                          BlocksModel::Schedules,      BlocksModel::States,
                                          BlocksModel::Measurements,   BlocksModel::Gap,
                                          BlocksModel::Transitions,    BlocksModel::Width,
                                          BlocksModel::Operators};

} // namespace

class BlocksTable::Private {
public:
    Private(BlocksTable *widget, Selection *shared);

    [[nodiscard]] int widthOf(int column, bool isShort) const;
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
    ElidedLabel *summary;
    QLabel *source; // what kind of numbers the search has
    QLabel *hidden; // how many columns are hidden
    QString searchTitle;
    std::optional<Provenance> provenance;
};

BlocksTable::Private::Private(BlocksTable *widget, Selection *shared)
    : q(widget), selection(shared), rows(new BlocksModel(widget)), sorted(new QSortFilterProxyModel(widget)),
      table(new QTableView(widget)), summary(new ElidedLabel({}, widget)), source(new QLabel(widget)),
      hidden(new QLabel(widget))
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
    table->horizontalHeader()->setMinimumSectionSize(16);
    table->viewport()->installEventFilter(q);
    table->setAccessibleName(QStringLiteral("Blocks of the model"));
    summary->setObjectName(QStringLiteral("hint"));
    summary->setElideMode(Qt::ElideRight);
    summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    source->setObjectName(QStringLiteral("provenance"));
    source->setToolTip(QStringLiteral("What the latencies and gaps are"));
    hidden->setObjectName(QStringLiteral("hint"));
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(8, 4, 8, 6);
    foot->setSpacing(8);
    foot->addWidget(summary, 1);
    foot->addWidget(source);
    foot->addWidget(hidden);
    auto *column = new QVBoxLayout(q);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(table, 1);
    column->addLayout(foot);
}

int BlocksTable::Private::widthOf(int column, bool isShort) const
{
    const QFontMetrics header = table->horizontalHeader()->fontMetrics();
    const QFontMetrics cells = table->fontMetrics();
    QString title = rows->title(column, isShort);
    int width = 0;
    for (const QString &line : title.replace(QLatin1Char(' '), QLatin1Char('\n')).split(QLatin1Char('\n')))
        width = std::max(width, header.horizontalAdvance(line));
    if (table->horizontalHeader()->sortIndicatorSection() == column)
        width += kSortArrow;
    for (int row = 0; row < rows->rowCount(); ++row)
        width = std::max(width, cells.horizontalAdvance(rows->text(static_cast<std::size_t>(row), column, isShort)));
    return width + (isShort ? kLittleRoom : kRoom);
}

// Long titles and numbers if they fit, else short ones; then the least important columns are hidden. Before it is
// shown, a table has no width to fit.
void BlocksTable::Private::fitColumns() const
{
    std::vector<int> shown;
    for (int column = 0; column < BlocksModel::ColumnCount; ++column) {
        const bool exists = rows->has(column);
        table->setColumnHidden(column, !exists);
        if (exists)
            shown.push_back(column);
    }
    std::array<int, BlocksModel::ColumnCount> widths{};
    const auto measure = [&](bool isShort) {
        int sum = 0;
        for (const int column : shown)
            sum += widths[static_cast<std::size_t>(column)] = widthOf(column, isShort);
        return sum;
    };
    const int room = table->isVisible() ? table->viewport()->width() : std::numeric_limits<int>::max();
    int needed = measure(false);
    const bool isShort = needed > room;
    if (isShort)
        needed = measure(true);
    rows->setShort(isShort);
    QStringList waiting;
    for (const int column : kLeastImportantFirst) {
        if (needed <= room)
            break;
        if (std::erase(shown, column) == 0)
            continue;
        table->setColumnHidden(column, true);
        needed -= widths[static_cast<std::size_t>(column)];
        waiting.prepend(rows->title(column, false));
    }
    int spare = isShort ? std::max(0, room - needed) : 0;
    for (std::size_t i = 0; i < shown.size(); ++i) { // evenly
        const int share = spare / static_cast<int>(shown.size() - i);
        table->setColumnWidth(shown[i], widths[static_cast<std::size_t>(shown[i])] + share);
        spare -= share;
    }
    hidden->setVisible(!waiting.isEmpty());
    hidden->setText(QStringLiteral("+ %1").arg(plural(waiting.size(), "column")));
    hidden->setToolTip(QStringLiteral("Widen the panel to see: %1").arg(waiting.join(QStringLiteral(", "))));
}

void BlocksTable::Private::showSummary() const
{
    source->setVisible(rows->has(BlocksModel::Latency) && provenance);
    if (provenance)
        source->setText(QStringLiteral("<span style='color:%1'>%2</span>")
                            .arg(themeFor(q->palette()).provenance(*provenance).name(), provenanceText(*provenance)));
    if (!model) {
        summary->setText(QStringLiteral("Open a model to see its blocks."));
        return;
    }
    const auto &blocks = rows->spaces().blocks;
    if (blocks.empty()) {
        summary->setText(QStringLiteral("r and s must be at least 1 to search."));
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
        text += QStringLiteral("counting block %1 of %2 ...").arg(counted + 1).arg(blocks.size());
    else
        text += QStringLiteral("%1%2 %3, %4 %5")
                    .arg(complete ? QString() : QStringLiteral("more than "), magnitudeText(states),
                         states == 1 ? QStringLiteral("state") : QStringLiteral("states"), magnitudeText(transitions),
                         transitions == 1 ? QStringLiteral("transition") : QStringLiteral("transitions"));
    if (rows->isSearched())
        text += QStringLiteral(". Searched: %1").arg(searchTitle);
    summary->setText(text);
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
    connect(d.table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this] { m_private->fitColumns(); });
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

void BlocksTable::setSearch(const QString &title, std::vector<BlockSearch> search, std::optional<Provenance> provenance,
                            bool leavesOutWork)
{
    m_private->provenance = provenance;
    m_private->searchTitle = title;
    m_private->rows->setSearch(std::move(search), leavesOutWork);
    m_private->fitColumns();
    m_private->showSummary();
}

void BlocksTable::setTimes(std::vector<LatencyParts> times)
{
    m_private->rows->setTimes(std::move(times));
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

bool BlocksTable::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && isVisible())
        m_private->fitColumns();
    return QWidget::eventFilter(watched, event);
}

void BlocksTable::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_private->fitColumns();
}

void BlocksTable::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private)
        m_private->showSummary();
    QWidget::changeEvent(event);
}

QSize BlocksTable::sizeHint() const
{
    return {470, 230};
}

} // namespace stagecraft
