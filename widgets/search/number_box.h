#pragma once

// A box for a whole number that accepts any typing and says what it refuses: a number out of its range is neither cut
// nor corrected in silence. The value from before the typing comes back.

#include <QSpinBox>

namespace stagecraft {

class NumberBox : public QSpinBox {
    Q_OBJECT

public:
    explicit NumberBox(QWidget *parent);

    void fixup(QString &input) const override;
    [[nodiscard]] QValidator::State validate(QString &input, int &position) const override;
    void stepBy(int steps) override;

signals:
    void refused(const QString &text, int stays) const; // what was typed, and the value

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    int m_before = 0; // the typing
    bool m_isTyping = false;
};

} // namespace stagecraft
