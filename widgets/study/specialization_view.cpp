#include "widgets/study/specialization_view.h"

#include "support/number_ranges.h"
#include "support/number_text.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"
#include "widgets/study/form_lines.h"
#include "widgets/study/study_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QTableWidget>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr double kMostHeat = 0.5; // this share above the best has the strongest colour

QString cellText(const CrossCell &cell, double best)
{
    QString text = shortLatencyText(cell.us, cell.isAtLeast);
    if (cell.halfWidthUs > 0)
        text += QStringLiteral(" ± %1").arg(latencyText(cell.halfWidthUs));
    return text + QStringLiteral("\n") +
           (cell.us <= best ? QStringLiteral("best of the row") : signedPercentText(cell.us / best - 1));
}

} // namespace

QColor crossCellFill(const Theme &theme, double aboveBest)
{
    QColor colour = aboveBest <= 0 ? theme.faster : theme.slower;
    colour.setAlphaF(aboveBest <= 0 ? 0.22F : static_cast<float>(0.08 + 0.47 * std::min(1.0, aboveBest / kMostHeat)));
    return colour;
}

std::optional<double> CrossTable::bestOf(std::size_t row) const
{
    std::optional<double> best;
    for (std::size_t column = 0; column < static_cast<std::size_t>(places.size()); ++column) {
        if (const auto &shown = cell(row, column); shown && (!best || shown->us < *best))
            best = shown->us;
    }
    return best;
}

QString csvOf(const CrossTable &table)
{
    const auto quoted = [](QString text) {
        return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    };
    QStringList header{quoted(QStringLiteral("run on / made for, us"))};
    for (const QString &place : table.places)
        header << quoted(place);
    header << QStringLiteral("provenance");
    QString text = header.join(QLatin1Char(',')) + QLatin1Char('\n');
    for (qsizetype row = 0; row < table.places.size(); ++row) {
        QStringList cells{quoted(table.places[row])};
        QString provenance;
        for (qsizetype column = 0; column < table.places.size(); ++column) {
            const auto &cell = table.cell(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
            cells << (cell ? QString::fromStdString(exactText(cell->us)) : QString());
            if (cell)
                provenance = provenanceText(cell->provenance);
        }
        text += (cells << provenance).join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text;
}

class SpecializationView::Private {
public:
    explicit Private(SpecializationView *owner) : q(owner) {}

    SpecializationView *q;
    QLineEdit *batches = nullptr;
    QToolButton *devices = nullptr;
    std::vector<std::pair<std::string, QAction *>> offered;
    std::vector<std::string> notYetOffered; // chosen
    QPushButton *go = nullptr;
    QPushButton *copy = nullptr;
    FactStrip *facts = nullptr;
    QTableWidget *grid = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    CrossTable table;
    QString whyNot;
    QString progress;
    bool isRunning = false;

    void createForm(QLayout *form)
    {
        batches = new QLineEdit(QStringLiteral("1, 32, 128"), q);
        batches->setObjectName(QStringLiteral("batches"));
        batches->setToolTip(QStringLiteral("Batch sizes, for example 1, 32, 128; empty: only the model's own"));
        batches->setAccessibleName(QStringLiteral("Batch sizes"));
        batches->setFixedWidth(batches->fontMetrics().horizontalAdvance(QStringLiteral("1, 16, 32, 128 ")) + 12);
        QObject::connect(batches, &QLineEdit::textChanged, q, &SpecializationView::placesChanged);
        QObject::connect(batches, &QLineEdit::returnPressed, q, [this] {
            if (!isRunning && go->isEnabled())
                emit q->startRequested();
        });
        auto *label = new QLabel(QStringLiteral("batch"), q);
        label->setFixedHeight(batches->sizeHint().height());
        form->addWidget(label);
        form->addWidget(batches);
        devices = new QToolButton(q);
        devices->setPopupMode(QToolButton::InstantPopup);
        devices->setMenu(new QMenu(devices));
        devices->setToolTip(QStringLiteral("Devices that schedules are made for and run on"));
        form->addWidget(devices);
        go = new QPushButton(q);
        go->setObjectName(QStringLiteral("go"));
        QObject::connect(go, &QPushButton::clicked, q,
                         [this] { isRunning ? emit q->stopRequested() : emit q->startRequested(); });
        form->addWidget(go);
        copy = new QPushButton(QStringLiteral("Copy as CSV"), q);
        copy->setToolTip(QStringLiteral("Copy the table, latencies in microseconds (Ctrl+C in the table)"));
        QObject::connect(copy, &QPushButton::clicked, q, &SpecializationView::copyCsv);
        form->addWidget(copy);
        showDevices();
    }

    void createTable()
    {
        grid = new QTableWidget(q);
        grid->setFrameShape(QFrame::NoFrame);
        grid->setEditTriggers(QAbstractItemView::NoEditTriggers);
        grid->setSelectionMode(QAbstractItemView::SingleSelection);
        grid->setAccessibleName(QStringLiteral("Latencies: rows run on, columns made for"));
        grid->horizontalHeader()->setDefaultAlignment(Qt::AlignCenter);
        grid->installEventFilter(q);
        QObject::connect(grid, &QTableWidget::cellClicked, q,
                         [this](int row, int column) { tell(row, column, &SpecializationView::opened); });
        QObject::connect(grid, &QTableWidget::cellDoubleClicked, q,
                         [this](int row, int column) { tell(row, column, &SpecializationView::compared); });
    }

    void tell(int row, int column, void (SpecializationView::*signal)(std::size_t, std::size_t)) const
    {
        if (row < 0 || column < 0 || row >= table.places.size() || column >= table.places.size())
            return;
        const auto r = static_cast<std::size_t>(row);
        const auto c = static_cast<std::size_t>(column);
        if (table.cell(r, c))
            emit(q->*signal)(r, c);
    }

    void showDevices() const
    {
        const auto chosen = static_cast<std::int64_t>(q->devices().size());
        devices->setText(chosen == 0 ? QStringLiteral("this device") : plural(chosen, "device"));
    }

    void fill() const
    {
        const Theme theme = themeFor(q->palette());
        const auto size = static_cast<int>(table.places.size());
        grid->setRowCount(size);
        grid->setColumnCount(size);
        QStringList rows;
        QStringList columns;
        for (const QString &place : table.places) {
            rows << QStringLiteral("run on %1").arg(place);
            columns << QStringLiteral("made for %1").arg(place);
        }
        grid->setVerticalHeaderLabels(rows);
        grid->setHorizontalHeaderLabels(columns);
        for (int row = 0; row < size; ++row) {
            for (int column = 0; column < size; ++column)
                grid->setItem(row, column,
                              itemOf(theme, static_cast<std::size_t>(row), static_cast<std::size_t>(column)));
        }
        grid->resizeColumnsToContents();
        grid->resizeRowsToContents();
        stack->setCurrentIndex(size == 0 ? 0 : 1);
        copy->setEnabled(q->hasCells());
    }

    [[nodiscard]] QTableWidgetItem *itemOf(const Theme &theme, std::size_t row, std::size_t column) const
    {
        auto *item = new QTableWidgetItem;
        item->setTextAlignment(Qt::AlignCenter);
        const auto &cell = table.cell(row, column);
        const auto r = static_cast<qsizetype>(row);
        const auto c = static_cast<qsizetype>(column);
        if (!cell) {
            item->setText(table.isMade[column] ? QStringLiteral("to be run") : QStringLiteral("to be searched"));
            item->setForeground(theme.mutedText);
            return item;
        }
        const double best = *table.bestOf(row);
        item->setText(cellText(*cell, best));
        item->setBackground(crossCellFill(theme, cell->us / best - 1));
        item->setForeground(theme.text);
        item->setToolTip(QStringLiteral("The schedule made for %1, run on %2: %3, %4%5\nClick opens it, double click "
                                        "compares it with the one made for %2")
                             .arg(table.places[c], table.places[r], latencyText(cell->us, cell->isAtLeast),
                                  provenanceText(cell->provenance),
                                  cell->isSumOfStages ? QStringLiteral(", sum of stages") : QString()));
        return item;
    }

    void refresh() const
    {
        const auto done = std::ranges::count_if(table.cells, [](const auto &cell) { return cell.has_value(); });
        go->setText(isRunning  ? QStringLiteral("Stop")
                    : done > 0 ? QStringLiteral("Continue")
                               : QStringLiteral("Start"));
        const auto read = q->batches();
        const QString wrong = read ? whyNot : QString::fromStdString(read.error().message);
        go->setEnabled(isRunning || wrong.isEmpty());
        go->setToolTip(isRunning         ? QStringLiteral("Stop; Continue goes on from there")
                       : wrong.isEmpty() ? QStringLiteral("Search a schedule for each and run it on all")
                                         : wrong);
        hint->setText(wrong.isEmpty() ? QStringLiteral("How schedules made for one batch size or device do on the "
                                                       "others appears here: press Start.")
                                      : wrong);
        std::vector<Fact> shown;
        if (!table.cells.empty())
            shown.push_back({QStringLiteral("cells"), QStringLiteral("%1 of %2").arg(done).arg(table.cells.size()),
                             QStringLiteral("00 of 00")});
        if (!progress.isEmpty())
            shown.push_back({QStringLiteral("now"), progress});
        if (!read)
            facts->setMessage(wrong);
        else
            facts->setFacts(std::move(shown));
    }
};

SpecializationView::SpecializationView(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    auto *form = new FormLines(this);
    d.createForm(form->layout());
    d.createTable();
    const StudyPage made = layOutStudy(this, form, nullptr, d.grid);
    d.facts = made.facts;
    d.hint = made.hint;
    d.stack = made.stack;
    setAccessibleName(QStringLiteral("Specialisation"));
    d.fill();
    d.refresh();
}

SpecializationView::~SpecializationView() = default;

Result<std::vector<std::int64_t>> SpecializationView::batches() const
{
    const QString text = m_private->batches->text().trimmed();
    if (text.isEmpty())
        return std::vector<std::int64_t>{};
    const auto numbers = numbersIn(text.toStdString(), 1, kLargestBatch);
    if (!numbers)
        return fail(ErrorCode::InvalidInput, "batch: " + numbers.error().message);
    return std::vector<std::int64_t>(numbers->begin(), numbers->end());
}

void SpecializationView::setBatches(const std::vector<std::int64_t> &batches)
{
    QStringList texts;
    for (const std::int64_t batch : batches)
        texts << QString::number(batch);
    m_private->batches->setText(texts.join(QStringLiteral(", ")));
}

void SpecializationView::offerDevices(const std::vector<OfferedDevice> &devices)
{
    Private &d = *m_private;
    std::vector<std::string> chosen = this->devices();
    chosen.insert(chosen.end(), d.notYetOffered.begin(), d.notYetOffered.end());
    d.offered.clear();
    d.devices->menu()->clear();
    for (const OfferedDevice &device : devices) {
        QAction *action = d.devices->menu()->addAction(device.title);
        action->setCheckable(true);
        action->setChecked(std::ranges::find(chosen, device.id) != chosen.end());
        d.offered.emplace_back(device.id, action);
        connect(action, &QAction::toggled, this, [this] {
            m_private->showDevices();
            emit placesChanged();
        });
    }
    d.showDevices();
}

std::vector<std::string> SpecializationView::devices() const
{
    std::vector<std::string> ids;
    for (const auto &[id, action] : m_private->offered) {
        if (action->isChecked())
            ids.push_back(id);
    }
    return ids;
}

void SpecializationView::setDevices(const std::vector<std::string> &ids)
{
    m_private->notYetOffered = ids;
    for (const auto &[id, action] : m_private->offered) {
        action->setChecked(std::ranges::find(ids, id) != ids.end());
        std::erase(m_private->notYetOffered, id);
    }
}

void SpecializationView::setReady(const QString &whyNot)
{
    m_private->whyNot = whyNot;
    m_private->refresh();
}

void SpecializationView::setRunning(bool running)
{
    m_private->isRunning = running;
    m_private->refresh();
}

void SpecializationView::setTable(const CrossTable &table)
{
    m_private->table = table;
    m_private->fill();
    m_private->refresh();
}

void SpecializationView::showProgress(const QString &text)
{
    m_private->progress = text;
    m_private->refresh();
}

const CrossTable &SpecializationView::table() const
{
    return m_private->table;
}

bool SpecializationView::hasCells() const
{
    return std::ranges::any_of(m_private->table.cells, [](const auto &cell) { return cell.has_value(); });
}

void SpecializationView::copyCsv() const
{
    QApplication::clipboard()->setText(csvOf(m_private->table));
}

QString SpecializationView::plainSummary() const
{
    return m_private->facts->plainText();
}

QString SpecializationView::hint() const
{
    return m_private->stack->currentIndex() == 0 ? m_private->hint->text() : QString();
}

QSize SpecializationView::sizeHint() const
{
    return {470, 230};
}

// Enter opens, Shift+Enter compares, Ctrl+C copies.
bool SpecializationView::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const Private &d = *m_private;
        const auto *key = static_cast<QKeyEvent *>(event);
        const int row = d.grid->currentRow();
        const int column = d.grid->currentColumn();
        if (key->matches(QKeySequence::Copy)) {
            copyCsv();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            d.tell(row, column,
                   key->modifiers().testFlag(Qt::ShiftModifier) ? &SpecializationView::compared
                                                                : &SpecializationView::opened);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void SpecializationView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->grid)
        m_private->fill();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
