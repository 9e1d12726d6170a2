#pragma once

// A form of small widgets in as many lines as its width needs. Its height follows when it is resized, so that a panel
// with it may be as small as its other parts.

#include "widgets/base/flow_layout.h"

#include <QEvent>
#include <QWidget>

#include <utility>

namespace stagecraft {

class FormLines : public QWidget {
public:
    explicit FormLines(QWidget *parent) : QWidget(parent) { setLayout(new FlowLayout(4)); }

    [[nodiscard]] bool hasHeightForWidth() const override { return false; }

protected:
    bool event(QEvent *event) override
    {
        const bool mayChange =
            event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show;
        // Later: while a panel is being shown, its width is for a moment one that asks for many lines.
        if (mayChange && isVisible() && !std::exchange(m_isDue, true))
            QMetaObject::invokeMethod(
                this, [this] { fit(); }, Qt::QueuedConnection);
        return QWidget::event(event);
    }

private:
    void fit()
    {
        m_isDue = false;
        setFixedHeight(layout()->heightForWidth(width()));
    }

    bool m_isDue = false;
};

} // namespace stagecraft
