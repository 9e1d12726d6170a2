#pragma once

// A combo box that elides its text if it is too narrow; Qt 6.4 cuts it off. A final word in brackets, such as
// "(measured)", is kept.

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
