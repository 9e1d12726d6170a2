#pragma once

// A press of a mouse button that becomes a drag once the pointer is far enough from it.

#include <QApplication>
#include <QPointF>

#include <utility>

namespace stagecraft {

class Drag {
public:
    void press(const QPointF &position)
    {
        m_from = position;
        m_state = State::Pressed;
    }
    // True once: the drag begins.
    bool move(const QPointF &position)
    {
        if (m_state != State::Pressed || (position - m_from).manhattanLength() < QApplication::startDragDistance())
            return false;
        m_state = State::Dragged;
        return true;
    }
    // True: it was a click.
    bool release() { return std::exchange(m_state, State::None) == State::Pressed; }

    [[nodiscard]] bool isPressed() const { return m_state != State::None; }
    [[nodiscard]] bool isDragged() const { return m_state == State::Dragged; }
    [[nodiscard]] const QPointF &from() const { return m_from; } // of the press

private:
    enum class State { None, Pressed, Dragged };
    State m_state = State::None;
    QPointF m_from;
};

} // namespace stagecraft
