#pragma once

// A form of small widgets in as many lines as its width needs. Its height follows when it is resized, so that a panel
// with it may be as small as its other parts.

#include "widgets/flow_layout.h"

#include <QEvent>
#include <QWidget>

namespace stagecraft {

class FormLines : public QWidget {
public:
    explicit FormLines(QWidget *parent) : QWidget(parent) { setLayout(new FlowLayout(4)); }

    [[nodiscard]] bool hasHeightForWidth() const override { return false; }

protected:
    bool event(QEvent *event) override
    {
        // A width from before it was shown would ask for many lines.
        const bool mayChange = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
        if (event->type() == QEvent::Show || (mayChange && isVisible()))
            setFixedHeight(layout()->heightForWidth(width()));
        return QWidget::event(event);
    }
};

} // namespace stagecraft
