#include "desktop/dialogs/help_browser.h"

#include "answers/json_answers.h"
#include "reproduction/reproduction_plots.h"
#include "reproduction/reproduction_report.h"
#include "support/error_text.h"
#include "widgets/base/theme.h"

#include <QEvent>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

#include <algorithm>

namespace stagecraft {
namespace {

QString resource(const QString &name)
{
    QFile file(QStringLiteral(":/help/%1").arg(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString latin(std::string_view text)
{
    return QString::fromUtf8(text);
}

// Of the first page, with links to the rest. Empty: it has no such section.
QString keysOf(const QString &panel)
{
    const QString page = resource(QStringLiteral("index.html"));
    const qsizetype anchor = page.indexOf(QStringLiteral("<a name=\"keys-%1\">").arg(panel));
    if (anchor < 0)
        return {};
    const qsizetype begin = page.lastIndexOf(QStringLiteral("<h3>"), anchor);
    const qsizetype end = page.indexOf(QStringLiteral("</table>"), anchor);
    return page.mid(begin, end - begin) +
           QStringLiteral("</table><p><a href=\"#view-%1\">About it</a> &nbsp; <a href=\"#keys\">All keys</a></p>")
               .arg(panel);
}

constexpr const char *kKeysFolder = "keys/";
constexpr const char *kBackToHelp = "<p><a href=\"index.html\">Help</a></p>";

// The introduction of the page.
constexpr const char *kAboutThePage =
    "<p>What this version of the program computes, not what anybody measured: the tables and figures of the IOS paper "
    "on a simulated device. The same page comes from <b>stagecraft-cli reproduce --device sim:v100 -o FOLDER</b>, for "
    "any device.</p>";

} // namespace

HelpBrowser::HelpBrowser(QWidget *parent) : QTextBrowser(parent)
{
    setOpenExternalLinks(true);
    setAccessibleName(QStringLiteral("Help"));
    document()->setDocumentMargin(22);
    applyTheme();
    setSource(QUrl(QStringLiteral("index.html")));
}

void HelpBrowser::applyTheme()
{
    const Theme theme = themeFor(palette());
    QString css = resource(QStringLiteral("help.css"));
    css.replace(QStringLiteral("{text}"), theme.text.name());
    css.replace(QStringLiteral("{muted}"), theme.mutedText.name());
    css.replace(QStringLiteral("{accent}"), theme.accent.name());
    css.replace(QStringLiteral("{panel}"), theme.panel.name());
    css.replace(QStringLiteral("{border}"), theme.border.name());
    css.replace(QStringLiteral("{good}"), theme.accent.name());
    css.replace(QStringLiteral("{bad}"), theme.warning.name());
    document()->setDefaultStyleSheet(css);
}

QString HelpBrowser::reproductionPage()
{
    if (!m_reproduction) {
        const Result<Reproduction> read =
            reproductionFromJson(resource(QStringLiteral("reproduction.json")).toStdString());
        if (!read)
            return QString::fromStdString(errorText(read.error())).toHtmlEscaped();
        m_reproduction = *read;
    }
    return latin(kBackToHelp) + latin(kAboutThePage) + QString::fromStdString(reproductionHelp(*m_reproduction));
}

QImage HelpBrowser::plot(const QString &id)
{
    if (!m_reproduction)
        return {};
    const Theme theme = themeFor(palette());
    const auto name = [](const QColor &colour) { return colour.name().toStdString(); };
    const QColor published = mixed(theme.canvas, theme.mutedText, 0.45);
    const std::string style =
        plotStyle({name(theme.mutedText), name(theme.border), name(theme.accent), name(published), name(theme.border)});
    const auto figure = std::ranges::find(m_reproduction->figures, id.toStdString(), &Figure::id);
    if (figure == m_reproduction->figures.end() && id != latin(kOverviewPlot))
        return {};
    const std::string svg =
        figure == m_reproduction->figures.end() ? overviewSvg(*m_reproduction, style) : barsSvg(*figure, style);
    QSvgRenderer renderer(QByteArray::fromStdString(svg));
    const qreal ratio = devicePixelRatioF();
    QImage image((QSizeF(renderer.defaultSize()) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter);
    painter.end();
    image.setDevicePixelRatio(ratio);
    return image;
}

QVariant HelpBrowser::loadResource(int type, const QUrl &name)
{
    const QString path = name.path();
    if (type == QTextDocument::ImageResource && path.startsWith(latin(kPlotFolder)))
        return plot(path.mid(static_cast<qsizetype>(kPlotFolder.size())));
    if (type != QTextDocument::HtmlResource)
        return {};
    if (path == QStringLiteral("json_answers.html"))
        return latin(kBackToHelp) + QString::fromStdString(jsonAnswersHtml());
    if (path.startsWith(latin(kKeysFolder)))
        return keysOf(path.mid(static_cast<qsizetype>(std::string_view(kKeysFolder).size())));
    return path == QStringLiteral("reproduction.html") ? reproductionPage() : resource(path);
}

void HelpBrowser::changeEvent(QEvent *event)
{
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !source().isEmpty()) {
        applyTheme();
        reload();
    }
}

} // namespace stagecraft
