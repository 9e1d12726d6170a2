#include "widgets/comparison/time_parts_chart.h"

#include "widgets/base/time_part_look.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QStackedLayout>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {

TimePartsChart::TimePartsChart(QWidget *parent)
    : QWidget(parent), m_scopes(new QComboBox), m_hint(new QLabel), m_scroll(new QScrollArea), m_page(new QWidget),
      m_stack(new QStackedLayout(this))
{
    m_scopes->setObjectName(QStringLiteral("time_parts_scope"));
    m_scopes->setAccessibleName(QStringLiteral("What the bars show"));
    m_scopes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scopes->setMinimumContentsLength(14);
    m_hint->setObjectName(QStringLiteral("hint"));
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_page->setFocusPolicy(Qt::StrongFocus);
    m_page->setMouseTracking(true);
    m_page->installEventFilter(this);
    m_scroll->setWidget(m_page);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->viewport()->installEventFilter(this);
    auto *shown = new QWidget;
    auto *column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 8, 0);
    head->addWidget(m_scopes);
    head->addStretch(1);
    column->addLayout(head);
    column->addWidget(m_scroll, 1);
    m_stack->addWidget(m_hint);
    m_stack->addWidget(shown);
    setMinimumSize(160, 110);
    setAccessibleName(QStringLiteral("Where the time goes"));
    connect(m_scopes, &QComboBox::currentIndexChanged, this, &TimePartsChart::scopeChanged);
}

void TimePartsChart::setScopes(const QStringList &scopes)
{
    QStringList now;
    for (int i = 0; i < m_scopes->count(); ++i)
        now << m_scopes->itemText(i);
    if (now == scopes)
        return;
    const QString chosen = m_scopes->currentText();
    const QSignalBlocker quiet(m_scopes);
    m_scopes->clear();
    m_scopes->addItems(scopes);
    m_scopes->setCurrentIndex(std::max(0, m_scopes->findText(chosen)));
}

int TimePartsChart::scope() const
{
    return std::max(0, m_scopes->currentIndex());
}

void TimePartsChart::setScope(int scope)
{
    m_scopes->setCurrentIndex(scope);
}

void TimePartsChart::setHint(const QString &hint)
{
    m_hint->setText(hint);
}

void TimePartsChart::setShown(ShownTimeParts shown)
{
    if (m_drawing.shown().bars.size() == shown.bars.size())
        shown.other = m_drawing.shown().other;
    m_stack->setCurrentIndex(shown.bars.empty() ? 0 : 1);
    const auto before = m_current ? std::optional(m_drawing.marks()[*m_current]) : std::nullopt;
    layOut(std::move(shown));
    if (before) {
        const auto &marks = m_drawing.marks();
        const auto same = std::ranges::find_if(marks, [&](const TimePartsDrawing::Mark &mark) {
            return mark.bar == before->bar && mark.part == before->part && mark.isStep == before->isStep;
        });
        m_current = same == marks.end() ? std::nullopt : std::optional(static_cast<std::size_t>(same - marks.begin()));
    }
    tellCurrent();
}

void TimePartsChart::layOut(ShownTimeParts shown)
{
    m_drawing = TimePartsDrawing(std::move(shown), m_page->font(), m_scroll->viewport()->width());
    m_page->resize(m_scroll->viewport()->width(),
                   std::max(m_scroll->viewport()->height(), static_cast<int>(std::ceil(m_drawing.height()))));
    m_page->update();
}

QPoint TimePartsChart::markCentre(std::size_t mark) const
{
    return m_page->mapTo(this, m_drawing.marks()[mark].rect.center().toPoint());
}

void TimePartsChart::copy() const
{
    constexpr double kScale = 2;
    auto *copied = new QMimeData;
    copied->setText(m_drawing.table(QLatin1Char('\t')) + QLatin1Char('\n'));
    const Theme theme = themeFor(palette());
    QImage image((QSizeF(m_page->width(), m_drawing.height()) * kScale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(kScale);
    image.fill(theme.canvas);
    QPainter painter(&image);
    m_drawing.paint(painter, theme, std::nullopt);
    painter.end();
    copied->setImageData(image);
    QApplication::clipboard()->setMimeData(copied);
}

QSize TimePartsChart::sizeHint() const
{
    return {340, 260};
}

void TimePartsChart::paintPage()
{
    QPainter painter(m_page);
    const Theme theme = themeFor(palette());
    painter.fillRect(m_page->rect(), theme.canvas);
    m_drawing.paint(painter, theme, m_page->hasFocus() ? m_current : std::nullopt);
}

void TimePartsChart::setCurrent(std::optional<std::size_t> mark)
{
    m_current = mark;
    m_page->update();
    if (mark) {
        const QRect rect = m_drawing.marks()[*mark].rect.toAlignedRect();
        m_scroll->ensureVisible(rect.left(), rect.top(), 0, 24);
        m_scroll->ensureVisible(rect.left(), rect.bottom(), 0, 24);
    }
    tellCurrent();
}

// The whole as a table, and the part that the keys are at.
void TimePartsChart::tellCurrent()
{
    const QString name = m_current && *m_current < m_drawing.marks().size() ? m_drawing.markText(*m_current)
                                                                            : QStringLiteral("Where the time goes");
    m_page->setAccessibleDescription(m_drawing.table(QLatin1Char('\t')));
    if (m_page->accessibleName() == name)
        return;
    m_page->setAccessibleName(name); // which tells screen readers
}

void TimePartsChart::choose(std::size_t mark)
{
    const TimePartsDrawing::Mark of = m_drawing.marks()[mark];
    if (!of.isStep && of.bar > 0 && of.bar != m_drawing.shown().other) {
        ShownTimeParts shown = m_drawing.shown();
        shown.other = of.bar;
        layOut(std::move(shown));
    }
    if (of.part)
        emit partChosen(of.bar, *of.part, of.isStep);
}

bool TimePartsChart::pressKey(int key)
{
    const std::size_t count = m_drawing.marks().size();
    if (count == 0)
        return false;
    switch (key) {
    case Qt::Key_Right:
    case Qt::Key_Down: setCurrent(m_current ? std::min(*m_current + 1, count - 1) : 0); return true;
    case Qt::Key_Left:
    case Qt::Key_Up: setCurrent(m_current.value_or(1) > 0 ? m_current.value_or(1) - 1 : 0); return true;
    case Qt::Key_Home: setCurrent(0); return true;
    case Qt::Key_End: setCurrent(count - 1); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (!m_current)
            return false;
        choose(*m_current);
        return true;
    default: return false;
    }
}

bool TimePartsChart::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_scroll->viewport()) {
        if (event->type() == QEvent::Resize)
            layOut(m_drawing.shown());
        return false;
    }
    switch (event->type()) {
    case QEvent::Paint: paintPage(); return true;
    case QEvent::FocusIn:
    case QEvent::FocusOut: m_page->update(); return false;
    case QEvent::KeyPress: {
        const auto *press = static_cast<QKeyEvent *>(event);
        if (press->matches(QKeySequence::Copy)) {
            copy();
            return true;
        }
        const bool isAlone = (press->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
        return isAlone && pressKey(press->key());
    }
    case QEvent::MouseButtonPress: {
        const auto *press = static_cast<QMouseEvent *>(event);
        const auto mark = m_drawing.markAt(press->position());
        if (press->button() != Qt::LeftButton || !mark)
            return false;
        setCurrent(mark);
        choose(*mark);
        return false; // the page takes the focus
    }
    case QEvent::MouseMove: {
        const bool isOver = m_drawing.markAt(static_cast<QMouseEvent *>(event)->position()).has_value();
        m_page->setCursor(isOver ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return false;
    }
    case QEvent::ToolTip: {
        const auto *help = static_cast<QHelpEvent *>(event);
        const auto mark = m_drawing.markAt(help->pos());
        QToolTip::showText(help->globalPos(), mark ? tipOf(*mark) : QString(), m_page);
        return true;
    }
    default: return false;
    }
}

QString TimePartsChart::tipOf(std::size_t mark) const
{
    const QString text = m_drawing.markText(mark);
    const auto part = m_drawing.marks()[mark].part;
    return part ? QStringLiteral("%1\n%2").arg(text, aboutTimePart(*part)) : text;
}

void TimePartsChart::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        layOut(m_drawing.shown());
    QWidget::changeEvent(event);
}

} // namespace stagecraft
