#include "widgets/study/pruning_view.h"

#include "support/number_ranges.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/study/form_lines.h"
#include "widgets/study/pruning_layers.h"
#include "widgets/study/pruning_plot.h"
#include "widgets/study/study_page.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft {
namespace {

constexpr std::array kStrategies{StrategySet::Both, StrategySet::Parallel, StrategySet::Merge};
constexpr int kLargest = 64; // no block has more operators

QIcon markIcon(const Theme &theme, StrategySet strategies)
{
    QPixmap pixmap(28, 28);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colourOf(theme, strategies));
    painter.drawPath(markOf(strategies, 9).translated(14, 14));
    return pixmap;
}

QString rangesOf(const std::vector<int> &numbers)
{
    return QString::fromStdString(rangesText(numbers));
}

} // namespace

class PruningView::Private {
public:
    explicit Private(PruningView *owner) : q(owner) {}

    PruningView *q;
    std::array<QToolButton *, kStrategies.size()> strategies{};
    QLineEdit *r = nullptr;
    QLineEdit *s = nullptr;
    QComboBox *spaces = nullptr;
    QPushButton *go = nullptr;
    QComboBox *cost = nullptr;
    QToolButton *equalR = nullptr;
    QToolButton *equalS = nullptr;
    QToolButton *publishedShown = nullptr;
    QPushButton *toShelf = nullptr;
    FactStrip *facts = nullptr;
    ElidedLabel *saved = nullptr; // by sharing measurements
    QLabel *hint = nullptr;
    PruningPlot *plot = nullptr;
    QStackedLayout *stack = nullptr;
    std::vector<PublishedPoint> published;
    QString publishedBy;
    QString whyNot;
    QString progress;
    StudyTotals totals;
    bool isRunning = false;

    QToolButton *toggle(const QString &text, const QString &toolTip)
    {
        auto *button = new QToolButton(q);
        button->setText(text);
        button->setToolTip(toolTip);
        button->setCheckable(true);
        button->setAutoRaise(true);
        return button;
    }

    QLineEdit *range(const QString &name, const QString &toolTip, const QString &text)
    {
        auto *field = new QLineEdit(text, q);
        field->setObjectName(name);
        field->setToolTip(toolTip);
        field->setAccessibleName(toolTip);
        field->setFixedWidth(field->fontMetrics().horizontalAdvance(QStringLiteral("1..3, 8, 16")) + 12);
        QObject::connect(field, &QLineEdit::textChanged, q, &PruningView::gridChanged);
        QObject::connect(field, &QLineEdit::returnPressed, q, [this] {
            if (!isRunning && go->isEnabled())
                emit q->startRequested();
        });
        return field;
    }

    void createForm(QLayout *form)
    {
        for (std::size_t i = 0; i < kStrategies.size(); ++i) {
            const QString title = strategyTitle(kStrategies[i]);
            strategies[i] = toggle(title, QStringLiteral("Search with %1").arg(title));
            strategies[i]->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            strategies[i]->setIconSize({14, 14});
            strategies[i]->setChecked(true);
            QObject::connect(strategies[i], &QToolButton::toggled, q, &PruningView::gridChanged);
            form->addWidget(strategies[i]);
        }
        r = range(QStringLiteral("r"), QStringLiteral("r: at most so many operators per group, for example 1..5"),
                  QStringLiteral("1..3"));
        s = range(QStringLiteral("s"), QStringLiteral("s: at most so many groups per stage, for example 3, 8"),
                  QStringLiteral("3, 8"));
        for (QLineEdit *field : {r, s}) {
            auto *label = new QLabel(field->objectName(), q);
            label->setFixedHeight(field->sizeHint().height());
            form->addWidget(label);
            form->addWidget(field);
        }
        spaces = new QComboBox(q);
        spaces->addItems(
            {QStringLiteral("Any groups"), QStringLiteral("Single source"), QStringLiteral("Both spaces")});
        spaces->setToolTip(QStringLiteral("Groups to try: any connected ones, as in the paper, or only those with a "
                                          "single source, as in the public implementation (hollow marks)"));
        spaces->setAccessibleName(QStringLiteral("Groups to try"));
        QObject::connect(spaces, &QComboBox::currentIndexChanged, q, &PruningView::gridChanged);
        form->addWidget(spaces);
        go = new QPushButton(q);
        go->setObjectName(QStringLiteral("go"));
        QObject::connect(go, &QPushButton::clicked, q,
                         [this] { isRunning ? emit q->stopRequested() : emit q->startRequested(); });
        form->addWidget(go);
    }

    void createAxes(QLayout *form)
    {
        cost = new QComboBox(q);
        cost->addItems({QStringLiteral("by measurements"), QStringLiteral("by seconds"),
                        QStringLiteral("by transitions"), QStringLiteral("by memory")});
        cost->setToolTip(
            QStringLiteral("What the plot shows latency against: the cost of the search, or the memory that "
                           "the schedule needs"));
        cost->setAccessibleName(QStringLiteral("Cost of a point"));
        QObject::connect(cost, &QComboBox::currentIndexChanged, q, [this](int index) {
            plot->setCost(kPointCosts[static_cast<std::size_t>(index)]);
            showPublished();
        });
        form->addWidget(cost);
        equalR = toggle(QStringLiteral("equal r"), QStringLiteral("Join the points of equal r"));
        equalS = toggle(QStringLiteral("equal s"), QStringLiteral("Join the points of equal s"));
        publishedShown = toggle(QStringLiteral("published"), {});
        publishedShown->setChecked(true);
        for (const auto &[button, equal] : {std::pair{equalR, EqualBound::R}, std::pair{equalS, EqualBound::S}}) {
            form->addWidget(button);
            QObject::connect(button, &QToolButton::toggled, q,
                             [this, equal](bool shown) { plot->setLines(equal, shown); });
        }
        form->addWidget(publishedShown);
        QObject::connect(publishedShown, &QToolButton::toggled, q, [this] { showPublished(); });
        toShelf = new QPushButton(QStringLiteral("Put on the shelf"), q);
        toShelf->setToolTip(QStringLiteral("Put the selected points on the shelf"));
        toShelf->hide();
        QObject::connect(toShelf, &QPushButton::clicked, q, [this] { emit q->chosen(plot->selected()); });
        form->addWidget(toShelf);
    }

    void showPublished() const
    {
        const bool isSeconds = plot->cost() == PointCost::Seconds;
        publishedShown->setVisible(!published.empty());
        publishedShown->setEnabled(isSeconds);
        plot->setPublished(publishedShown->isChecked() ? published : std::vector<PublishedPoint>{}, publishedBy);
    }

    void applyTheme() const
    {
        const Theme theme = themeFor(q->palette());
        for (std::size_t i = 0; i < kStrategies.size(); ++i)
            strategies[i]->setIcon(markIcon(theme, kStrategies[i]));
        refresh();
    }

    void refresh() const
    {
        const auto grid = q->grid();
        const bool isKnown = grid && totals.planned > 0 && totals.done >= totals.planned;
        go->setText(isRunning                     ? QStringLiteral("Stop")
                    : totals.done > 0 && !isKnown ? QStringLiteral("Continue")
                                                  : QStringLiteral("Start"));
        go->setEnabled(isRunning || (whyNot.isEmpty() && grid && !isKnown));
        QString why = whyNot;
        if (why.isEmpty() && !grid)
            why = QString::fromStdString(grid.error().message);
        else if (why.isEmpty() && isKnown)
            why = QStringLiteral("All %1 are known: widen the ranges to extend the study")
                      .arg(plural(static_cast<std::int64_t>(totals.planned), "point"));
        go->setToolTip(isRunning ? QStringLiteral("Stop after what is known; Continue goes on from there")
                       : why.isEmpty()
                           ? QStringLiteral("Search %1")
                                 .arg(plural(static_cast<std::int64_t>(totals.planned - totals.done), "point"))
                           : why);
        if (!grid && whyNot.isEmpty())
            facts->setMessage(why);
        else
            showFacts();
        hint->setText(whyNot.isEmpty()
                          ? QStringLiteral("How much latency each bound on r and s costs, against what the search "
                                           "costs, appears here: press Start.")
                          : whyNot);
    }

    void showFacts() const
    {
        std::vector<Fact> shown;
        const auto selected = static_cast<std::int64_t>(plot->selected().size());
        if (selected > 0)
            shown.push_back({QStringLiteral("selected"), plural(selected, "point")});
        if (totals.planned > 0)
            shown.push_back({QStringLiteral("points"), QStringLiteral("%1 of %2").arg(totals.done).arg(totals.planned),
                             QStringLiteral("000 of 000"),
                             totals.provenance ? provenanceText(*totals.provenance) : QString(), totals.provenance});
        const QString measured = countText(totals.stagesMeasured);
        const QString alone = countText(totals.stagesAsked);
        saved->setText(QStringLiteral("%1 distinct stages measured; alone the searches would have asked for %2")
                           .arg(measured, alone));
        saved->setShorter({QStringLiteral("%1 distinct stages measured; alone: %2").arg(measured, alone)});
        saved->setVisible(totals.stagesAsked > 0);
        if (!progress.isEmpty())
            shown.push_back({QStringLiteral("now"), progress});
        facts->setFacts(std::move(shown));
    }
};

PruningView::PruningView(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    auto *form = new FormLines(this);
    d.createForm(form->layout());
    d.plot = new PruningPlot(this);
    d.createAxes(form->layout());
    d.saved = new ElidedLabel({}, this);
    d.saved->setElideMode(Qt::ElideRight);
    d.saved->setContentsMargins(8, 0, 8, 2);
    const StudyPage made = layOutStudy(this, form, d.saved, d.plot);
    d.facts = made.facts;
    d.hint = made.hint;
    d.stack = made.stack;
    setAccessibleName(QStringLiteral("Trade-off of latency and search by r and s"));
    d.showPublished();
    d.applyTheme();
    connect(d.plot, &PruningPlot::chosen, this, [this](const PruningPoint &point) { emit chosen({point}); });
    connect(d.plot, &PruningPlot::selectionChanged, this, [this] {
        m_private->toShelf->setVisible(!m_private->plot->selected().empty());
        m_private->refresh();
    });
}

PruningView::~PruningView() = default;

Result<PruningGrid> PruningView::grid() const
{
    const Private &d = *m_private;
    PruningGrid grid{{}, {}, {}, {}};
    for (std::size_t i = 0; i < kStrategies.size(); ++i) {
        if (d.strategies[i]->isChecked())
            grid.strategies.push_back(kStrategies[i]);
    }
    if (grid.strategies.empty())
        return fail(ErrorCode::InvalidInput, "No strategy is chosen");
    for (const auto &[field, numbers] : {std::pair{d.r, &grid.r}, std::pair{d.s, &grid.s}}) {
        auto read = numbersIn(field->text().toStdString(), 1, kLargest);
        if (!read)
            return fail(ErrorCode::InvalidInput, field->objectName().toStdString() + ": " + read.error().message);
        *numbers = std::move(*read);
    }
    if (d.spaces->currentIndex() != 1)
        grid.singleSource.push_back(false);
    if (d.spaces->currentIndex() != 0)
        grid.singleSource.push_back(true);
    if (grid.size() > kMostPruningPoints)
        return refused(
            fmt::format("These are {} searches, more than {}: name fewer values", grid.size(), kMostPruningPoints));
    return grid;
}

void PruningView::setGrid(const PruningGrid &grid)
{
    Private &d = *m_private;
    {
        const QSignalBlocker blocker(this);
        for (std::size_t i = 0; i < kStrategies.size(); ++i)
            d.strategies[i]->setChecked(std::ranges::find(grid.strategies, kStrategies[i]) != grid.strategies.end());
        d.r->setText(rangesOf(grid.r));
        d.s->setText(rangesOf(grid.s));
        const bool hasAny = std::ranges::find(grid.singleSource, false) != grid.singleSource.end();
        d.spaces->setCurrentIndex(grid.singleSource.size() > 1 ? 2 : hasAny ? 0 : 1);
    }
    emit gridChanged();
}

PointCost PruningView::cost() const
{
    return m_private->plot->cost();
}

void PruningView::setCost(PointCost cost)
{
    m_private->cost->setCurrentIndex(static_cast<int>(cost));
}

void PruningView::setReady(const QString &whyNot)
{
    m_private->whyNot = whyNot;
    m_private->refresh();
}

void PruningView::setRunning(bool running)
{
    m_private->isRunning = running;
    m_private->refresh();
}

void PruningView::setPoints(std::vector<PlottedPoint> points)
{
    Private &d = *m_private;
    d.stack->setCurrentIndex(points.empty() ? 0 : 1);
    d.plot->setPoints(std::move(points));
}

void PruningView::setTotals(const StudyTotals &totals)
{
    m_private->totals = totals;
    m_private->refresh();
}

void PruningView::showProgress(const QString &text)
{
    m_private->progress = text;
    m_private->refresh();
}

void PruningView::setPublished(std::vector<PublishedPoint> points, const QString &by)
{
    Private &d = *m_private;
    d.published = std::move(points);
    d.publishedBy = by;
    d.publishedShown->setToolTip(
        QStringLiteral("Search time and latency as published: %1 (shown by seconds only)").arg(by));
    d.showPublished();
}

PruningPlot *PruningView::plot() const
{
    return m_private->plot;
}

QString PruningView::plainSummary() const
{
    const Private &d = *m_private;
    return d.saved->isHidden() ? d.facts->plainText() : d.facts->plainText() + QLatin1Char('\n') + d.saved->text();
}

QString PruningView::hint() const
{
    return m_private->stack->currentIndex() == 0 ? m_private->hint->text() : QString();
}

QSize PruningView::sizeHint() const
{
    return {470, 230};
}

void PruningView::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->facts)
        m_private->applyTheme();
    QWidget::changeEvent(event);
}

} // namespace stagecraft
