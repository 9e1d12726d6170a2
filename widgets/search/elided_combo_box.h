#pragma once

// A combo box whose text is shortened by an ellipsis where the box is too narrow for it; Qt 6.4 cuts it off. A word in
// brackets at the end, "(measured)", stays.

#include <QComboBox>

namespace stagecraft {

class ElidedComboBox : public QComboBox {
    Q_OBJECT

public:
    using QComboBox::QComboBox;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace stagecraft
