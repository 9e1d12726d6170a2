#include "desktop/message_bar.h"

#include "desktop/icons.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace stagecraft {

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_close(new QToolButton(this))
{
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_text->setAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    m_close->setAutoRaise(true);
    m_close->setToolTip(tr("Dismiss (Esc)"));
    m_close->setAccessibleName(tr("Dismiss message"));
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->setSpacing(10);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    row->addWidget(m_close, 0, Qt::AlignTop);
    setAccessibleName(tr("Message"));
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
}

void MessageBar::show(Kind kind, const QString &text)
{
    m_kind = kind;
    m_text->setText(text);
    applyTheme();
    fitHeight();
    emit shown();
}

void MessageBar::dismiss()
{
    m_text->clear();
    emit dismissed();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ApplicationPaletteChange)
        applyTheme();
    QFrame::changeEvent(event);
}

void MessageBar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_background);
    painter.fillRect(QRect(0, 0, 4, height()), m_mark);
}

void MessageBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    fitHeight();
}

// A tool bar does not ask how high wrapped text is for its width.
void MessageBar::fitHeight()
{
    const QMargins margins = layout()->contentsMargins();
    const int taken = margins.left() + margins.right() + 2 * layout()->spacing() + m_icon->sizeHint().width() +
                      m_close->sizeHint().width();
    const int text = m_text->heightForWidth(std::max(120, width() - taken));
    setFixedHeight(std::max(text, m_close->sizeHint().height()) + margins.top() + margins.bottom());
}

void MessageBar::applyTheme()
{
    const Theme theme = themeFor(parentWidget() ? parentWidget()->palette() : palette());
    const QColor mark = m_kind == Kind::Error ? theme.error : m_kind == Kind::Warning ? theme.warning : theme.accent;
    const auto blend = [](int from, int to) { return (from * 5 + to) / 6; };
    const QColor back(blend(theme.panel.red(), mark.red()), blend(theme.panel.green(), mark.green()),
                      blend(theme.panel.blue(), mark.blue()));
    m_background = back;
    m_mark = mark;
    update();
    const QString name = m_kind == Kind::Error     ? QStringLiteral("error")
                         : m_kind == Kind::Warning ? QStringLiteral("warning")
                                                   : QStringLiteral("info");
    m_icon->setPixmap(icon(name, mark).pixmap(18, 18));
    m_close->setIcon(icon(QStringLiteral("close"), theme.text));
}

} // namespace stagecraft
