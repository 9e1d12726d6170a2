#include "widgets/graph/overlay/find_bar.h"

#include "widgets/format.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

namespace stagecraft {

FindBar::FindBar(const QString &placeholder, QWidget *parent)
    : OverlayPanel(parent), m_line(new QLineEdit(this)), m_count(new QLabel(this)),
      m_previous(button(QStringLiteral("▲"), QStringLiteral("Previous match"))),
      m_next(button(QStringLiteral("▼"), QStringLiteral("Next match")))
{
    auto *close = button(QStringLiteral("✕"), QStringLiteral("Close"));
    m_line->setPlaceholderText(placeholder);
    m_line->setAccessibleName(placeholder);
    m_line->setToolTip(placeholder); // it may be longer than the line
    m_line->setClearButtonEnabled(true);
    m_line->setMinimumWidth(190);
    m_line->installEventFilter(this);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("9999 of 9999")));
    m_count->setAlignment(Qt::AlignCenter);

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 6, 6, 6);
    layout->setSpacing(4);
    for (QWidget *widget :
         {static_cast<QWidget *>(m_line), static_cast<QWidget *>(m_count), static_cast<QWidget *>(m_previous),
          static_cast<QWidget *>(m_next), static_cast<QWidget *>(close)})
        layout->addWidget(widget);
    connect(m_line, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_next, &QToolButton::clicked, this, &FindBar::nextRequested);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previousRequested);
    connect(close, &QToolButton::clicked, this, &FindBar::closed);
    showMatches(-1, 0);
    hide();
}

QToolButton *FindBar::button(const QString &text, const QString &name)
{
    auto *result = new QToolButton(this);
    result->setText(text);
    result->setToolTip(name);
    result->setAccessibleName(name);
    result->setAutoRaise(true);
    return result;
}

void FindBar::open()
{
    show();
    raise();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

void FindBar::setText(const QString &text)
{
    const QSignalBlocker blocker(m_line);
    if (m_line->text() != text)
        m_line->setText(text);
}

void FindBar::showTrouble(const QString &trouble)
{
    m_previous->setEnabled(false);
    m_next->setEnabled(false);
    m_count->setText(QStringLiteral("not complete"));
    m_count->setToolTip(QStringLiteral("Not a regular expression: %1").arg(trouble));
}

QString FindBar::countText() const
{
    return m_count->text();
}

void FindBar::showMatches(int current, int count)
{
    m_count->setToolTip({});
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (m_line->text().trimmed().isEmpty())
        m_count->setText(QString());
    else if (count == 0)
        m_count->setText(QStringLiteral("no match"));
    else
        m_count->setText(QStringLiteral("%1 of %2").arg(current + 1).arg(count));
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool back = key->modifiers() & Qt::ShiftModifier;
        switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: emit(back ? previousRequested() : nextRequested()); return true;
        case Qt::Key_Down: emit nextRequested(); return true;
        case Qt::Key_Up: emit previousRequested(); return true;
        case Qt::Key_Escape: emit closed(); return true;
        default: break;
        }
    }
    return OverlayPanel::eventFilter(watched, event);
}

} // namespace stagecraft
