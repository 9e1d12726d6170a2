#pragma once

// Scrolls a view while something is dragged near its upper or lower edge, faster closer to the edge. Lives on the UI
// thread.

#include <QAbstractScrollArea>
#include <QPoint>
#include <QScrollBar>
#include <QTimer>

#include <functional>

namespace stagecraft {

class EdgeScroller {
public:
    static constexpr int kEdge = 28; // pixels

    // `scrolled` is called when the page has moved under the pointer.
    EdgeScroller(QAbstractScrollArea *view, std::function<void()> scrolled)
        : m_view(view), m_scrolled(std::move(scrolled))
    {
        m_timer.setInterval(25);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { step(); });
    }

    void start() { m_timer.start(); }
    void stop() { m_timer.stop(); }
    void setPointer(QPoint onViewport) { m_pointer = onViewport; }
    [[nodiscard]] QPoint pointer() const { return m_pointer; }

private:
    void step()
    {
        const int height = m_view->viewport()->height();
        const int beyond = m_pointer.y() < kEdge            ? m_pointer.y() - kEdge
                           : m_pointer.y() > height - kEdge ? m_pointer.y() - height + kEdge
                                                            : 0;
        QScrollBar *bar = m_view->verticalScrollBar();
        const int before = bar->value();
        bar->setValue(before + beyond / 2);
        if (bar->value() != before)
            m_scrolled();
    }

    QAbstractScrollArea *m_view;
    std::function<void()> m_scrolled;
    QTimer m_timer;
    QPoint m_pointer;
};

} // namespace stagecraft
