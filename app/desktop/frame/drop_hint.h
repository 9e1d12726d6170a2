#pragma once

// Says over the window that what is dragged may be dropped, and what then happens. Takes no events itself.

#include <QLabel>

namespace stagecraft {

class DropHint : public QLabel {
    Q_OBJECT

public:
    explicit DropHint(QWidget *parent);

    void showFor(const QStringList &paths); // over all of the parent

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace stagecraft
