#include "desktop/dialogs/tour_card.h"

#include "widgets/base/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMainWindow>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kCardWidth = 360;
constexpr QPoint kFromCorner{24, 16};

} // namespace

TourCard::TourCard(QMainWindow *window)
    : OverlayPanel(window), m_window(window), m_title(new QLabel(this)), m_text(new QLabel(this)),
      m_doIt(new QPushButton(this)), m_next(new QPushButton(this)),
      m_end(new QPushButton(QStringLiteral("End the tour"), this)), m_fromCorner(kFromCorner)
{
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setFixedWidth(kCardWidth);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_doIt);
    buttons->addWidget(m_next);
    buttons->addStretch(1);
    buttons->addWidget(m_end);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addWidget(m_title);
    column->addWidget(m_text);
    column->addLayout(buttons);
    connect(m_doIt, &QPushButton::clicked, this, &TourCard::doItWanted);
    connect(m_next, &QPushButton::clicked, this, &TourCard::nextWanted);
    connect(m_end, &QPushButton::clicked, this, &TourCard::endWanted);
    window->installEventFilter(this);
    window->centralWidget()->installEventFilter(this);
}

void TourCard::showStep(const TourStep &step, int number, int count)
{
    const bool isLast = number == count;
    m_title->setText(QStringLiteral("%1 of %2: %3").arg(number).arg(count).arg(step.title));
    m_text->setText(step.text);
    m_doIt->setText(step.doIt);
    m_doIt->setVisible(!step.doIt.isEmpty());
    m_next->setText(isLast ? QStringLiteral("Close") : QStringLiteral("Next"));
    m_end->setVisible(!isLast);
    setAccessibleName(QStringLiteral("Tour, %1").arg(m_title->text()));
    setAccessibleDescription(m_text->text().remove(QRegularExpression(QStringLiteral("<[^>]*>"))));
    show();
    place();
    raise();
    if (QAccessible::isActive()) {
        QAccessibleEvent event(this, QAccessible::Alert);
        QAccessible::updateAccessibility(&event);
    }
}

QPoint TourCard::corner() const
{
    const QWidget *centre = m_window->centralWidget();
    return centre->isVisible() ? centre->geometry().bottomRight() : m_window->rect().bottomRight();
}

void TourCard::place()
{
    setFixedHeight(layout()->totalHeightForWidth(kCardWidth));
    const QSize room = parentWidget()->size();
    const QPoint at = corner() - m_fromCorner - QPoint(width(), height());
    move(std::clamp(at.x(), 0, std::max(0, room.width() - width())),
         std::clamp(at.y(), 0, std::max(0, room.height() - height())));
}

bool TourCard::eventFilter(QObject *watched, QEvent *event)
{
    const bool isPlaced = event->type() == QEvent::Resize || event->type() == QEvent::Move ||
                          event->type() == QEvent::Show || event->type() == QEvent::Hide;
    if (isPlaced && isVisible())
        place();
    return OverlayPanel::eventFilter(watched, event);
}

void TourCard::paintEvent(QPaintEvent *event)
{
    OverlayPanel::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeFor(palette()).accent, 1.5));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
}

void TourCard::mousePressEvent(QMouseEvent *event)
{
    OverlayPanel::mousePressEvent(event);
    if (event->button() == Qt::LeftButton)
        m_grabbed = event->position().toPoint();
}

void TourCard::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_grabbed)
        return;
    m_fromCorner = corner() - (pos() + event->position().toPoint() - *m_grabbed + QPoint(width(), height()));
    place();
}

void TourCard::mouseReleaseEvent(QMouseEvent * /*event*/)
{
    m_grabbed.reset();
}

void TourCard::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        emit endWanted();
    else
        OverlayPanel::keyPressEvent(event);
}

} // namespace stagecraft
