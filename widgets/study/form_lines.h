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
        if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
            setFixedHeight(layout()->heightForWidth(width()));
        return QWidget::event(event);
    }
};

} // namespace stagecraft
