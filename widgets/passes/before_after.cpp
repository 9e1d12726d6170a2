#include "widgets/passes/before_after.h"

#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/base/theme.h"
#include "widgets/graph/graph_view.h"

#include <QLabel>
#include <QPainter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kLeastSide = 190; // beside each other from twice this on

// A swatch of a mark, with its meaning.
class MarkKey : public QWidget {
public:
    MarkKey(OperatorMark mark, const QString &text, const QString &shorter, QWidget *parent)
        : QWidget(parent), m_mark(mark), m_text(text), m_shorter(shorter)
    {
        setToolTip(text);
        setAccessibleName(text);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }

    [[nodiscard]] QSize sizeHint() const override
    {
        return {kSwatch + 6 + fontMetrics().horizontalAdvance(m_text) + 2, fontMetrics().height() + 2};
    }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        return {kSwatch + 6 + fontMetrics().horizontalAdvance(m_shorter) + 2, fontMetrics().height() + 2};
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        const Theme theme = themeFor(palette());
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF swatch(1, (height() - kSwatch) / 2.0, kSwatch - 2, kSwatch - 2);
        painter.setPen(QPen(markOutline(theme, m_mark), 1.5));
        painter.setBrush(markFill(theme, m_mark));
        painter.drawRoundedRect(swatch, 3, 3);
        if (m_mark == OperatorMark::Gone)
            paintHatch(painter, swatch.adjusted(1, 1, -1, -1), markOutline(theme, m_mark), 4);
        painter.setPen(theme.mutedText);
        const QRect area = rect().adjusted(kSwatch + 6, 0, 0, 0);
        const bool fits = fontMetrics().horizontalAdvance(m_text) <= area.width();
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, fits ? m_text : m_shorter);
    }

private:
    static constexpr int kSwatch = 13;

    OperatorMark m_mark;
    QString m_text;
    QString m_shorter;
};

// From long to short.
QStringList titlesOf(const QString &name, const ShownGraph &shown, const Graph &whole)
{
    const auto all = static_cast<std::int64_t>(whole.size());
    const QString part = countText(static_cast<std::int64_t>(shown.operators.size()));
    if (shown.isWhole)
        return {QStringLiteral("%1: %2").arg(name, plural(all, "operator")),
                QStringLiteral("%1: %2").arg(name, countText(all))};
    return {QStringLiteral("%1: %2 of %3 around the change").arg(name, part, plural(all, "operator")),
            QStringLiteral("%1: %2 of %3").arg(name, part, plural(all, "operator")),
            QStringLiteral("%1: %2 of %3").arg(name, part, countText(all))};
}

} // namespace

BeforeAfter::BeforeAfter(QWidget *parent)
    : QWidget(parent), m_sides(new QBoxLayout(QBoxLayout::LeftToRight)), m_graphs(new QWidget(this)),
      m_page(new QWidget(this)), m_text(new QLabel(m_page)), m_stack(new QStackedLayout(this))
{
    m_sides->setContentsMargins(0, 0, 0, 0);
    m_sides->setSpacing(4);
    auto *keys = new QHBoxLayout;
    keys->setContentsMargins(8, 4, 8, 0);
    keys->setSpacing(14);
    keys->addWidget(
        new MarkKey(OperatorMark::Gone, QStringLiteral("goes away"), QStringLiteral("goes away"), m_graphs));
    keys->addWidget(new MarkKey(OperatorMark::TakesOver, QStringLiteral("does its work, or reads on in its place"),
                                QStringLiteral("takes over"), m_graphs));
    keys->addStretch(1);
    auto *column = new QVBoxLayout(m_graphs);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(keys);
    column->addLayout(m_sides, 1);
    auto *page = new QVBoxLayout(m_page);
    m_text->setObjectName(QStringLiteral("hint"));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    page->addStretch(1);
    page->addWidget(m_text);
    page->addStretch(1);
    m_stack->addWidget(m_page);
    m_stack->addWidget(m_graphs);
}

void BeforeAfter::makeSides()
{
    if (m_before.view)
        return;
    m_before = makeSide(QStringLiteral("Graph before the pass"));
    m_after = makeSide(QStringLiteral("Graph after the pass"));
    connect(m_before.selection, &Selection::changed, this, &BeforeAfter::chosenBefore);
    connect(m_after.selection, &Selection::changed, this, &BeforeAfter::chosenAfter);
}

BeforeAfter::Side BeforeAfter::makeSide(const QString &name)
{
    Side side;
    side.box = new QWidget(m_graphs);
    side.title = new ElidedLabel({}, side.box);
    side.title->setElideMode(Qt::ElideRight);
    side.title->setContentsMargins(8, 0, 8, 0);
    side.selection = new Selection(this);
    side.view = new GraphView(side.selection, side.box);
    side.view->setPlain(true);
    side.view->setDot(m_dotRunnerFactory);
    side.view->setMinimumSize(80, 60);
    side.view->setAccessibleName(name);
    auto *column = new QVBoxLayout(side.box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(side.title);
    column->addWidget(side.view, 1);
    connect(side.view, &GraphView::drawingFinished, this, &BeforeAfter::drawingFinished);
    m_sides->addWidget(side.box, 1);
    return side;
}

void BeforeAfter::setText(const QString &text)
{
    m_text->setText(text);
    m_stack->setCurrentWidget(m_page);
    m_step.reset();
    m_shown = {};
    for (const Side &side : {m_before, m_after}) {
        if (side.view && side.view->graph())
            side.view->setModel(nullptr, {});
    }
}

void BeforeAfter::show(const std::vector<PassStep> &steps, const std::vector<std::string> &change)
{
    const PassStep *shown = &steps.front();
    std::vector<OperatorId> gone;
    for (const PassStep &step : steps) {
        std::vector<OperatorId> found;
        for (const std::string &name : change) {
            const auto id = step.before->find(name);
            if (id && std::ranges::binary_search(step.gone, *id))
                found.push_back(*id);
        }
        if (found.size() > gone.size()) {
            gone = std::move(found);
            shown = &step;
        }
    }
    makeSides();
    m_step = *shown;
    m_shown = shownStep(*m_step, gone);
    showSide(m_before, QStringLiteral("Before"), m_shown.before, m_step->before);
    showSide(m_after, QStringLiteral("After"), m_shown.after, m_step->after);
    m_stack->setCurrentWidget(m_graphs);
}

void BeforeAfter::showSide(Side &side, const QString &name, const ShownGraph &now,
                           const std::shared_ptr<const Graph> &whole)
{
    const bool isEmpty = now.graph->size() == 0;
    QStringList titles =
        isEmpty ? QStringList(QStringLiteral("%1: nothing is left here").arg(name)) : titlesOf(name, now, *whole);
    side.title->setText(titles.takeFirst());
    side.title->setShorter(titles);
    if (isEmpty) {
        side.view->setModel(nullptr, {});
        return;
    }
    if (side.view->graph() != now.graph) {
        m_isSelecting = true;
        side.selection->clear();
        m_isSelecting = false;
        side.view->setTerminalWords(now.isWhole ? TerminalWords{} : TerminalWords{"earlier", "later"});
        side.view->setModel(now.graph, {});
        side.view->setMarks(now.marks);
    }
    side.view->showOperators(now.change);
}

void BeforeAfter::chosenBefore()
{
    const auto op = m_before.selection->current().op;
    if (m_isSelecting || !op || !m_step)
        return;
    const OperatorId before = m_shown.before.operators[op->index()];
    if (const OperatorId after = m_step->becomes[before.index()]; after.isValid())
        choose(after);
}

void BeforeAfter::chosenAfter()
{
    const auto op = m_after.selection->current().op;
    if (!m_isSelecting && op && m_step)
        choose(m_shown.after.operators[op->index()]);
}

void BeforeAfter::choose(OperatorId after)
{
    m_isSelecting = true;
    if (const auto here = m_shown.after.find(after))
        m_after.selection->set({here, {}});
    m_isSelecting = false;
    if (const OperatorId unit = m_step->units[after.index()]; unit.isValid())
        emit unitChosen(unit);
}

void BeforeAfter::selectUnit(OperatorId unit)
{
    if (!m_step)
        return;
    const auto op = m_after.selection->current().op;
    const auto unitOf = [this](OperatorId here) {
        return m_step->units[m_shown.after.operators[here.index()].index()];
    };
    if (op && unitOf(*op) == unit)
        return;
    for (std::size_t i = 0; i < m_shown.after.operators.size(); ++i) {
        if (unitOf(OperatorId::fromIndex(i)) != unit)
            continue;
        m_isSelecting = true;
        m_after.selection->set({OperatorId::fromIndex(i), {}});
        m_isSelecting = false;
        return;
    }
}

QString BeforeAfter::text() const
{
    return m_stack->currentWidget() == m_page ? m_text->text() : QString();
}

QString BeforeAfter::beforeTitle() const
{
    return m_before.title ? m_before.title->text() : QString();
}

QString BeforeAfter::afterTitle() const
{
    return m_after.title ? m_after.title->text() : QString();
}

bool BeforeAfter::isBusy() const
{
    return m_before.view && (m_before.view->isBusy() || m_after.view->isBusy());
}

void BeforeAfter::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_sides->setDirection(width() >= 2 * kLeastSide || width() > height() ? QBoxLayout::LeftToRight
                                                                          : QBoxLayout::TopToBottom);
}

QSize BeforeAfter::sizeHint() const
{
    return {460, 260};
}

} // namespace stagecraft
