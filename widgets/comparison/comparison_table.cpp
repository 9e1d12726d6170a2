#include "widgets/comparison/comparison_table.h"

#include "schedule/timed_schedule.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"

#include <QAbstractTableModel>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace stagecraft {
namespace {

constexpr int kLeastTitle = 96;
constexpr int kShortTitle = 56; // where even the least columns leave no more

enum Column { Title, Latency, Speedup, Bound, Memory, Stages, Measurements, Gap, ColumnCount };

QString factorText(double factor)
{
    return QStringLiteral("%1×").arg(factor, 0, 'f', 2);
}

// The provenance of the latency, in words.
QString provenanceText(Provenance provenance, bool isSumOfStages)
{
    TimedSchedule schedule;
    schedule.measured.provenance = provenance;
    schedule.measured.how = isSumOfStages ? MeasuredHow::SumOfStages : MeasuredHow::Alone;
    return provenanceText(schedule);
}

QString speedupText(const ComparisonRow &row)
{
    if (!row.speedup)
        return {};
    if (row.leavesOutWork)
        return QStringLiteral("(%1)").arg(factorText(*row.speedup));
    const QString verdict = row.verdict.section(QLatin1Char('('), 0, 0).trimmed();
    const double half = row.interval ? (row.interval->second - row.interval->first) / 2 : 0;
    const QString factor = half > 0 ? QStringLiteral("%1 ± %2").arg(factorText(*row.speedup)).arg(half, 0, 'f', 2)
                                    : factorText(*row.speedup);
    return verdict.isEmpty() || *row.speedup == 1 ? factor : factor + QLatin1String(", ") + verdict;
}

// How many times the bound a schedule takes.
QString boundText(const ComparisonRow &row)
{
    if (!row.latencyUs || row.leastUs <= 0)
        return {};
    const double factor = *row.latencyUs / row.leastUs;
    return QStringLiteral("%1%2×")
        .arg(row.leavesOutWork ? QStringLiteral("≥ ") : QString())
        .arg(factor, 0, 'f', factor < 10 ? 1 : 0);
}

class RowModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    std::vector<ComparisonRow> rows;

    int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(rows.size());
    }
    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : ColumnCount; }

    QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal)
            return {};
        if (role == Qt::TextAlignmentRole)
            return static_cast<int>(Qt::AlignVCenter | (section >= Speedup ? Qt::AlignRight : Qt::AlignLeft));
        if (role == Qt::ToolTipRole && section == Speedup)
            return QStringLiteral("Latency of %1 divided by the latency of this schedule")
                .arg(rows.empty() || rows.front().baselineTitle.isEmpty() ? QStringLiteral("the baseline")
                                                                          : rows.front().baselineTitle);
        if (role == Qt::ToolTipRole && section == Bound)
            return QStringLiteral("Latency divided by the least there can be: all work at the device's peaks");
        if (role == Qt::ToolTipRole && section == Memory)
            return QStringLiteral("The most bytes of tensors that are live at once, planned; weights come on top");
        if (role == Qt::ToolTipRole && section == Measurements)
            return QStringLiteral("Stage latencies the search had to ask the device for");
        if (role == Qt::ToolTipRole && section == Gap)
            return QStringLiteral("Proved: the latency is at most this much above the optimum of its search space");
        if (role != Qt::DisplayRole)
            return {};
        switch (section) {
        case Title: return QStringLiteral("Schedule");
        case Latency: return QStringLiteral("Latency");
        case Speedup: return QStringLiteral("Speed-up");
        case Bound: return QStringLiteral("Of\nbound");
        case Memory: return QStringLiteral("Live\npeak");
        case Stages: return QStringLiteral("Stages");
        case Measurements: return QStringLiteral("Measured\nstages");
        case Gap: return QStringLiteral("Gap");
        default: return {};
        }
    }

    QVariant data(const QModelIndex &index, int role) const override
    {
        const ComparisonRow &row = rows[static_cast<std::size_t>(index.row())];
        if (role == Qt::TextAlignmentRole)
            return static_cast<int>(Qt::AlignVCenter | (index.column() >= Speedup ? Qt::AlignRight : Qt::AlignLeft));
        if (role == Qt::ToolTipRole && index.column() == Speedup && row.leavesOutWork)
            return QStringLiteral("Of the part of the model that has a cost: see Not costed in the Inspector");
        if (role == Qt::ToolTipRole && index.column() == Speedup && row.interval)
            return QStringLiteral(
                       "%1%2 to %3 at 95 %: the schedules were timed in rounds, so drift affects all of them equally")
                .arg(row.verdict.isEmpty() ? QString() : row.verdict + QLatin1String("\n"),
                     factorText(row.interval->first), factorText(row.interval->second));
        if (role == Qt::ToolTipRole && index.column() == Gap && row.gapOfUs)
            return QStringLiteral("%1 of %2, the sum of its stages and the boundaries between them")
                .arg(row.gapText, latencyText(*row.gapOfUs));
        if (role == Qt::ToolTipRole && index.column() == Bound && row.leastUs > 0)
            return QStringLiteral("%1 with all work at the device's peaks")
                .arg(latencyText(row.leastUs, row.leavesOutWork));
        if (role == Qt::ToolTipRole)
            return toolTip(row);
        if (role != Qt::DisplayRole)
            return {};
        switch (index.column()) {
        case Title: return row.isBaseline ? QStringLiteral("%1 (baseline)").arg(row.title) : row.title;
        case Latency: return row.latencyUs ? shortLatencyText(*row.latencyUs, row.leavesOutWork) : row.note;
        case Speedup: return speedupText(row);
        case Bound: return boundText(row);
        case Memory: return row.livePeakBytes ? bytesText(static_cast<double>(*row.livePeakBytes)) : QString();
        case Stages: return row.stages > 0 ? countText(static_cast<std::int64_t>(row.stages)) : QString();
        case Measurements: return row.measurements ? countText(*row.measurements) : QString();
        case Gap: return row.measurements && std::isfinite(row.gap) ? percentText(row.gap) : QString();
        default: return {};
        }
    }

    [[nodiscard]] static QString toolTip(const ComparisonRow &row);

    [[nodiscard]] double slowestUs() const
    {
        double slowest = 0;
        for (const ComparisonRow &row : rows)
            slowest = std::max(slowest, row.latencyUs.value_or(0));
        return slowest;
    }

    void replace(std::vector<ComparisonRow> next)
    {
        // Rows whose values change keep selection and scroll position.
        if (next.size() == rows.size()) {
            rows = std::move(next);
            if (!rows.empty())
                emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
            return;
        }
        beginResetModel();
        rows = std::move(next);
        endResetModel();
    }
};

QString RowModel::toolTip(const ComparisonRow &row)
{
    if (!row.about.isEmpty())
        return row.about;
    if (!row.latencyUs)
        return QStringLiteral("%1: %2").arg(row.title, row.note);
    QString text = QStringLiteral("%1: %2 %3")
                       .arg(row.title, latencyText(*row.latencyUs), provenanceText(row.provenance, row.isSumOfStages));
    if (!row.within.isEmpty())
        text += QStringLiteral(", ") + row.within;
    text += QLatin1Char('.');
    if (row.isSumOfStages)
        text += QStringLiteral(
            " The whole schedule was not recorded, so this number does not include the time between stages.");
    if (row.disturbedStages > 0)
        text += QStringLiteral(" %1 of %2 stages were disturbed while timed.").arg(row.disturbedStages).arg(row.stages);
    if (row.halfWidthUs > 0)
        text += QStringLiteral(" ± %1 at 95 %.").arg(latencyText(row.halfWidthUs));
    if (!row.madeBy.isEmpty())
        text += QLatin1Char(' ') + QStringLiteral("Made by: %1.").arg(row.madeBy);
    if (row.isBaseline)
        text += QStringLiteral(" The baseline of all speed-ups.");
    return text + QStringLiteral(" Click to show this schedule.");
}

// Number, provenance as a coloured word, and the latency as a bar.
class LatencyDelegate : public QStyledItemDelegate {
public:
    LatencyDelegate(const RowModel *model, QObject *parent) : QStyledItemDelegate(parent), m_model(model) {}

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        return {option.fontMetrics.horizontalAdvance(QStringLiteral("00.0 ms ") + longestProvenance()) + 8, 30};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const ComparisonRow &row = m_model->rows[static_cast<std::size_t>(index.row())];
        QStyleOptionViewItem background = option;
        initStyleOption(&background, index);
        background.text.clear();
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);
        const Theme theme = themeFor(option.palette);
        const bool selected = option.state & QStyle::State_Selected;
        const QRect inner = option.rect.adjusted(6, 2, -6, -2);
        painter->save();
        if (!row.latencyUs) {
            painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : theme.mutedText);
            painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                              option.fontMetrics.elidedText(row.note, Qt::ElideRight, inner.width()));
            painter->restore();
            return;
        }
        const double share = m_model->slowestUs() > 0 ? *row.latencyUs / m_model->slowestUs() : 0;
        const QRect track(inner.left(), inner.bottom() - 4, inner.width(), 4);
        painter->fillRect(track, theme.grid);
        painter->fillRect(QRect(track.left(), track.top(), static_cast<int>(track.width() * share), track.height()),
                          theme.provenance(row.provenance));
        const QRect text = inner.adjusted(0, 0, 0, -5);
        const QString number = shortLatencyText(*row.latencyUs, row.leavesOutWork);
        painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : theme.text);
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, number);
        QFont small = option.font;
        small.setPointSizeF(small.pointSizeF() * 0.86);
        painter->setFont(small);
        painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : theme.provenance(row.provenance));
        painter->drawText(text, Qt::AlignVCenter | Qt::AlignRight, provenanceText(row.provenance, row.isSumOfStages));
        painter->restore();
    }

private:
    [[nodiscard]] QString longestProvenance() const
    {
        const bool hasSums = std::ranges::any_of(m_model->rows, &ComparisonRow::isSumOfStages);
        return provenanceText(hasSums ? Provenance::Recorded : Provenance::Simulated, hasSums);
    }

    const RowModel *m_model;
};

// The latency column takes the remaining width, but at least that of its text. If not all columns fit, the least
// important are hidden.
class Table : public QTableView {
public:
    using QTableView::QTableView;

    std::function<void(const QStringList &titles)> onWaiting; // hidden columns

    void fitColumns()
    {
        const int room = isVisible() ? viewport()->width() : std::numeric_limits<int>::max();
        int others = 0;
        for (int column = 0; column < ColumnCount; ++column) {
            setColumnHidden(column, (column == Bound || column == Memory) && isEmpty(column));
            if (column == Latency || isColumnHidden(column))
                continue;
            int width = std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
            if (column == Title && isVisible()) // a name may be long: the numbers come first
                width = std::min(width, std::max(kLeastTitle, room * 2 / 5));
            setColumnWidth(column, width);
            others += columnWidth(column);
        }
        const int latency = sizeHintForColumn(Latency);
        QStringList waiting;
        for (const Column column : {Measurements, Stages, Bound, Memory, Gap}) {
            if (others + latency <= room)
                break;
            if (isColumnHidden(column))
                continue;
            others -= columnWidth(column);
            setColumnHidden(column, true);
            waiting.push_back(model()->headerData(column, Qt::Horizontal).toString().replace(u'\n', u' '));
        }
        if (const int over = others + latency - room; over > 0) {
            const int before = columnWidth(Title);
            setColumnWidth(Title, std::max(kShortTitle, before - over));
            others -= before - columnWidth(Title);
        }
        setColumnWidth(Latency, std::max(latency, viewport()->width() - others));
        if (onWaiting)
            onWaiting(waiting);
    }

private:
    [[nodiscard]] bool isEmpty(int column) const
    {
        for (int row = 0; row < model()->rowCount(); ++row) {
            if (!model()->index(row, column).data().toString().isEmpty())
                return false;
        }
        return true;
    }

protected:
    void resizeEvent(QResizeEvent *event) override
    {
        QTableView::resizeEvent(event);
        fitColumns();
    }
    void showEvent(QShowEvent *event) override
    {
        QTableView::showEvent(event);
        fitColumns();
    }
};

} // namespace

class ComparisonTable::Private {
public:
    explicit Private(ComparisonTable *table_) : q(table_) {}

    ComparisonTable *q;
    RowModel *model = nullptr;
    Table *table = nullptr;
    ElidedLabel *hint = nullptr;
    QLabel *hidden = nullptr; // how many columns are hidden
    QPushButton *compare = nullptr;
    bool comparing = false;
    std::vector<ComparisonRow> rows; // without the others

    void activate(const QModelIndex &index)
    {
        if (const auto row = static_cast<std::size_t>(index.row()); row < rows.size())
            emit q->rowActivated(row);
    }
};

ComparisonTable::ComparisonTable(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    d.model = new RowModel(this);
    d.table = new Table(this);
    d.table->setModel(d.model);
    d.table->setItemDelegateForColumn(Latency, new LatencyDelegate(d.model, this));
    d.table->setSelectionBehavior(QAbstractItemView::SelectRows);
    d.table->setSelectionMode(QAbstractItemView::SingleSelection);
    d.table->setShowGrid(false);
    d.table->setFrameShape(QFrame::NoFrame);
    d.table->setWordWrap(false);
    d.table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    d.table->verticalHeader()->hide();
    d.table->verticalHeader()->setDefaultSectionSize(30);
    d.table->horizontalHeader()->setHighlightSections(false);
    d.table->horizontalHeader()->setMinimumSectionSize(44);
    d.table->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    d.table->setAccessibleName(QStringLiteral("Comparison of schedules"));

    d.compare = new QPushButton(QStringLiteral("Compare all"), this);
    d.compare->setToolTip(QStringLiteral("Search with every strategy and measure all five schedules on this device"));
    d.hint = new ElidedLabel(QStringLiteral("Open a model to compare its schedules."), this);
    d.hint->setElideMode(Qt::ElideRight);
    d.hint->setObjectName(QStringLiteral("hint"));
    d.hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(8, 4, 8, 6);
    foot->setSpacing(8);
    foot->addWidget(d.hint, 1);
    d.hidden = new QLabel(this);
    d.hidden->setObjectName(QStringLiteral("hint"));
    foot->addWidget(d.hidden);
    d.table->onWaiting = [hidden = d.hidden](const QStringList &titles) {
        hidden->setVisible(!titles.isEmpty());
        hidden->setText(QStringLiteral("+ %1").arg(plural(titles.size(), "column")));
        hidden->setToolTip(QStringLiteral("Widen the panel to see: %1").arg(titles.join(QStringLiteral(", "))));
    };
    foot->addWidget(d.compare);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d.table, 1);
    column->addLayout(foot);

    connect(d.table, &QTableView::clicked, this, [this](const QModelIndex &index) { m_private->activate(index); });
    connect(d.table, &QTableView::activated, this, [this](const QModelIndex &index) { m_private->activate(index); });
    connect(d.compare, &QPushButton::clicked, this, [this] {
        if (m_private->comparing)
            emit stopRequested();
        else
            emit compareRequested();
    });
}

ComparisonTable::~ComparisonTable() = default;

void ComparisonTable::setRows(std::vector<ComparisonRow> rows, const std::vector<ComparisonRow> &others)
{
    m_private->hint->setText(rows.empty() ? QStringLiteral("Open a model to compare its schedules.")
                                          : QStringLiteral("Click a row to see its schedule."));
    m_private->rows = rows;
    rows.insert(rows.end(), others.begin(), others.end());
    m_private->model->replace(std::move(rows));
    m_private->table->fitColumns();
}

const std::vector<ComparisonRow> &ComparisonTable::rows() const
{
    return m_private->rows;
}

void ComparisonTable::setCurrent(std::size_t row)
{
    if (row < rows().size())
        m_private->table->selectRow(static_cast<int>(row));
    else
        m_private->table->clearSelection();
}

void ComparisonTable::setComparing(bool comparing)
{
    m_private->comparing = comparing;
    m_private->compare->setText(comparing ? QStringLiteral("Stop") : QStringLiteral("Compare all"));
}

void ComparisonTable::setCompareEnabled(bool enabled)
{
    m_private->compare->setEnabled(enabled);
}

QSize ComparisonTable::sizeHint() const
{
    return {470, 230};
}

} // namespace stagecraft
