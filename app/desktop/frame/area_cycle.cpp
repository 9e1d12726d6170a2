#include "desktop/frame/area_cycle.h"

#include "widgets/base/theme.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

class AreaFrame : public QWidget {
public:
    explicit AreaFrame(QWidget *parent) : QWidget(parent)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(QPen(themeFor(palette()).accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

bool takesKeys(const QWidget *widget)
{
    return widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0;
}

// The widget that had the focus last, else the largest that accepts it: the view rather than its buttons.
QWidget *keysOf(QWidget *area)
{
    QWidget *before = area->focusWidget();
    if (before && before != area && takesKeys(before) && before->isVisible())
        return before;
    QWidget *largest = takesKeys(area) ? area : nullptr;
    const auto size = [](const QWidget *widget) { return widget->width() * widget->height(); };
    for (QWidget *child : area->findChildren<QWidget *>()) {
        if (takesKeys(child) && child->isVisibleTo(area) && (!largest || size(child) > size(largest)))
            largest = child;
    }
    auto *dock = qobject_cast<QDockWidget *>(area);
    if (!largest && dock) { // a picture: its menu is available by keyboard, too
        largest = dock->widget();
        largest->setFocusPolicy(Qt::StrongFocus);
    }
    return largest;
}

} // namespace

AreaCycle::AreaCycle(QWidget *window, std::function<std::vector<QWidget *>()> areas)
    : QObject(window), m_areas(std::move(areas))
{
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget *, const QWidget *now) {
        if (m_framed && now && now != m_framed && !m_framed->isAncestorOf(now))
            frame(nullptr);
    });
}

QWidget *AreaCycle::framed() const
{
    return m_framed;
}

void AreaCycle::step(int by)
{
    const std::vector<QWidget *> areas = m_areas();
    if (areas.empty())
        return;
    const QWidget *focus = QApplication::focusWidget();
    const auto now = std::ranges::find_if(areas, [&](const QWidget *area) {
        return area == m_framed || (!m_framed && focus && (area == focus || area->isAncestorOf(focus)));
    });
    const auto count = static_cast<std::ptrdiff_t>(areas.size());
    const std::ptrdiff_t from = now != areas.end() ? now - areas.begin() : (by > 0 ? -1 : 0);
    QWidget *area = areas[static_cast<std::size_t>(((from + by) % count + count) % count)];
    if (qobject_cast<QDockWidget *>(area))
        area->raise();
    frame(nullptr);
    if (QWidget *keys = keysOf(area))
        keys->setFocus(Qt::ShortcutFocusReason);
    frame(area);
}

void AreaCycle::frame(QWidget *area)
{
    if (m_framed)
        m_framed->removeEventFilter(this);
    delete m_frame;
    m_framed = area;
    if (!area)
        return;
    area->installEventFilter(this);
    m_frame = new AreaFrame(area->window());
    placeFrame();
    m_frame->show();
    m_frame->raise();
}

void AreaCycle::placeFrame()
{
    m_frame->setGeometry(QRect(m_framed->mapTo(m_framed->window(), QPoint(0, 0)), m_framed->size()));
}

bool AreaCycle::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Hide)
        frame(nullptr);
    else if (m_frame && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
        placeFrame();
    return QObject::eventFilter(watched, event);
}

} // namespace stagecraft
