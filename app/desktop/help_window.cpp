#include "desktop/help_window.h"

#include "widgets/theme.h"

#include <QFile>
#include <QKeyEvent>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

QString resource(const QString &name)
{
    QFile file(QStringLiteral(":/help/%1").arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

HelpWindow::HelpWindow(QWidget *parent) : QWidget(parent, Qt::Window), m_browser(new QTextBrowser(this))
{
    setWindowTitle(tr("Stagecraft help"));
    resize(760, 720);
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->setOpenExternalLinks(true);
    m_browser->document()->setDocumentMargin(22);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_browser);
    load();
}

void HelpWindow::showPage(const QString &anchor)
{
    show();
    raise();
    activateWindow();
    if (!anchor.isEmpty())
        m_browser->scrollToAnchor(anchor);
}

void HelpWindow::load()
{
    const Theme theme = themeFor(palette());
    QString css = resource(QStringLiteral("help.css"));
    css.replace(QStringLiteral("{text}"), theme.text.name());
    css.replace(QStringLiteral("{muted}"), theme.mutedText.name());
    css.replace(QStringLiteral("{accent}"), theme.accent.name());
    css.replace(QStringLiteral("{panel}"), theme.panel.name());
    m_browser->document()->setDefaultStyleSheet(css);
    m_browser->setHtml(resource(QStringLiteral("index.html")));
}

void HelpWindow::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_browser)
        load();
    QWidget::changeEvent(event);
}

void HelpWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else
        QWidget::keyPressEvent(event);
}

} // namespace stagecraft
