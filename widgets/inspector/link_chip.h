#pragma once

// A name that selects its operator or stage, with the colour of the stage.

#include "widgets/base/inspector_page.h"

#include <QAbstractButton>

namespace stagecraft {

class LinkChip : public QAbstractButton {
    Q_OBJECT

public:
    explicit LinkChip(const InspectorLink &link, QWidget *parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void chosen(const stagecraft::Selected &target);
    void tryPressed(const stagecraft::Stage &stage);
    void whyPressed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    InspectorLink m_link;
};

} // namespace stagecraft
