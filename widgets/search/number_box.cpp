#include "widgets/search/number_box.h"

namespace stagecraft {

NumberBox::NumberBox(QWidget *parent) : QSpinBox(parent)
{
    connect(this, &QSpinBox::editingFinished, this, [this] { m_isTyping = false; });
    // Queued: the box itself goes back to what was typed before the last letter.
    connect(
        this, &NumberBox::refused, this, [this](const QString &, int stays) { setValue(stays); }, Qt::QueuedConnection);
}

QValidator::State NumberBox::validate(QString &input, int &position) const
{
    const QValidator::State state = QSpinBox::validate(input, position);
    return state == QValidator::Invalid ? QValidator::Intermediate : state;
}

// Called when the typing has ended with something that is not acceptable.
void NumberBox::fixup(QString &input) const
{
    emit refused(input, m_isTyping ? m_before : value());
}

void NumberBox::stepBy(int steps)
{
    QSpinBox::stepBy(steps);
    m_before = value();
}

void NumberBox::keyPressEvent(QKeyEvent *event)
{
    if (!m_isTyping)
        m_before = value();
    m_isTyping = true;
    QSpinBox::keyPressEvent(event);
}

} // namespace stagecraft
