#include "desktop/frame/message_bar.h"

#include "desktop/frame/icons.h"
#include "widgets/base/theme.h"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kMargin = 10;
constexpr int kIcon = 18;
constexpr int kOneLine = 34; // icons stay level with the first line

} // namespace

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_action(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    m_action->hide();
    connect(m_action, &QPushButton::clicked, this, [this] {
        if (m_act)
            m_act();
    });
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_text->setAlignment(Qt::AlignVCenter | Qt::AlignLeft);
    m_close->setAutoRaise(true);
    m_close->setToolTip(QStringLiteral("Dismiss (Esc)"));
    m_close->setAccessibleName(QStringLiteral("Dismiss message"));
    setAccessibleName(QStringLiteral("Message"));
    connect(m_close, &QToolButton::clicked, this, &MessageBar::dismiss);
}

void MessageBar::show(Kind kind, const QString &text)
{
    show(kind, text, {}, {});
}

void MessageBar::show(Kind kind, const QString &text, const QString &action, std::function<void()> act)
{
    m_kind = kind;
    m_act = std::move(act);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
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
    if (event->type() == QEvent::PaletteChange)
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

// Computed here: neither a tool bar nor a box layout asks wrapped text for its height at the given width.
void MessageBar::fitHeight()
{
    const int left = kMargin + kIcon + kMargin;
    const QSize close = m_close->sizeHint();
    const bool hasAction = !m_action->text().isEmpty();
    const QSize action = hasAction ? m_action->sizeHint() : QSize();
    const int actionWidth = hasAction ? action.width() + kMargin : 0;
    const int textWidth = std::max(120, width() - left - close.width() - 2 * kMargin - actionWidth);
    const int textHeight = m_text->heightForWidth(textWidth);
    const int whole = std::max({textHeight, close.height(), action.height()}) + kMargin;
    m_icon->setGeometry(kMargin, (std::min(whole, kOneLine) - kIcon) / 2, kIcon, kIcon);
    m_text->setGeometry(left, (whole - textHeight) / 2, textWidth, textHeight);
    m_action->setGeometry(width() - close.width() - kMargin - action.width(),
                          (std::max(std::min(whole, kOneLine), action.height()) - action.height()) / 2, action.width(),
                          action.height());
    m_close->setGeometry(width() - close.width() - kMargin / 2, (std::min(whole, kOneLine) - close.height()) / 2,
                         close.width(), close.height());
    setFixedHeight(whole);
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
