#include "desktop/frame/appearance.h"

#include "widgets/base/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyleFactory>

namespace stagecraft {
namespace {

QPalette paletteFor(bool dark)
{
    const auto colour = [](int value) { return QColor::fromRgb(static_cast<QRgb>(value)); };
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, int light, int night) {
        palette.setColor(role, colour(dark ? night : light));
    };
    set(QPalette::Window, 0xf5f7f9, 0x1e242c);
    set(QPalette::WindowText, 0x1c2530, 0xe3e8ee);
    set(QPalette::Base, 0xffffff, 0x171b21);
    set(QPalette::AlternateBase, 0xf0f3f6, 0x1b2027);
    set(QPalette::Text, 0x1c2530, 0xe3e8ee);
    set(QPalette::PlaceholderText, 0x64707d, 0x96a2b0);
    set(QPalette::Button, 0xf9fafb, 0x2a323c);
    set(QPalette::ButtonText, 0x1c2530, 0xe3e8ee);
    set(QPalette::BrightText, 0xc0322b, 0xff6b6b);
    set(QPalette::ToolTipBase, 0x1c2530, 0x2a323c);
    set(QPalette::ToolTipText, 0xf7f9fb, 0xe3e8ee);
    set(QPalette::Highlight, 0x0b6bcb, 0x2f6fb3);
    set(QPalette::HighlightedText, 0xffffff, 0xffffff);
    set(QPalette::Link, 0x0b6bcb, 0x4aa8ff);
    set(QPalette::LinkVisited, 0x5750c4, 0x9b95f0);
    set(QPalette::Light, 0xffffff, 0x333c47);
    set(QPalette::Midlight, 0xeef1f4, 0x2a323c);
    set(QPalette::Mid, 0xd5dbe1, 0x333c47);
    set(QPalette::Dark, 0xb4bdc6, 0x12161b);
    set(QPalette::Shadow, 0x8b96a2, 0x0c0f13);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, colour(dark ? 0x5d6875 : 0xa2acb6));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, colour(dark ? 0x333c47 : 0xd5dbe1));
    return palette;
}

QString styleSheet(const Theme &theme, const QPalette &palette)
{
    const QString sheet = QStringLiteral(R"(
QToolBar { border: none; border-bottom: 1px solid {border}; background: {panel}; spacing: 4px; padding: 2px 4px; }
QToolBar::separator { background: {border}; width: 1px; margin: 6px 4px; }
QMenuBar { background: {panel}; }
QMainWindow::separator { background: {border}; width: 3px; height: 3px; }
QMainWindow::separator:hover { background: {accent}; }
QDockWidget { font-weight: 600; }
QDockWidget::title { background: {panel}; padding: 5px 8px; border-bottom: 1px solid {border}; text-align: left; }
QToolButton#chip { color: {warning}; border: 1px solid {warning}; border-radius: 8px; padding: 0 7px; }
QToolButton#chip:hover, QToolButton#chip:focus { background: {grid}; }
QStatusBar { background: {panel}; border-top: 1px solid {border}; }
QStatusBar::item { border: none; }
QLabel#field, QLabel#hint, QLabel#muted, stagecraft--ElidedLabel#hint { color: {muted}; }
QLabel#trouble { color: {error}; }
QPushButton#primary { background: {accentFill}; color: white; border: 1px solid {accentFill}; border-radius: 4px; padding: 4px 12px; font-weight: 600; }
QPushButton#primary:hover { background: {accentHover}; }
QPushButton#primary:pressed { background: {accentFill}; }
QPushButton#primary:focus { border: 1px solid {text}; }
QPushButton#primary:disabled { background: {grid}; color: {muted}; border-color: {border}; }
QHeaderView::section { background: {panel}; color: {muted}; border: none; border-bottom: 1px solid {border}; padding: 4px 4px; }
QTabBar { qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: true; }
QTabBar::tab { background: transparent; color: {muted}; border: none; border-bottom: 2px solid transparent; padding: 6px 12px; }
QTabBar::tab:hover { color: {text}; }
QTabBar::tab:selected { color: {text}; border-bottom: 2px solid {accent}; }
QTabBar::tab:disabled { color: {muted}; }
QTabWidget::pane { border: none; }
QProgressBar { background: {grid}; border: none; border-radius: 3px; }
QProgressBar::chunk { background: {accent}; border-radius: 3px; }
QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid {muted}; border-radius: 3px; background: {base}; }
QCheckBox::indicator:checked { background: {accentFill}; border-color: {accentFill}; image: url(:/icons/check.svg); }
QCheckBox::indicator:disabled { border-color: {border}; }
QToolTip { color: {tipText}; background: {tipBase}; border: 1px solid {border}; padding: 4px; }
)");
    QString result = sheet;
    const QColor accent = palette.color(QPalette::Highlight);
    const std::initializer_list<std::pair<const char *, QColor>> colours{
        {"{border}", theme.border},
        {"{panel}", theme.panel},
        {"{base}", theme.canvas},
        {"{accent}", theme.accent},
        {"{accentFill}", accent},
        {"{accentHover}", accent.lighter(115)},
        {"{muted}", theme.mutedText},
        {"{warning}", theme.warning},
        {"{error}", theme.error},
        {"{text}", theme.text},
        {"{grid}", theme.grid},
        {"{tipText}", palette.color(QPalette::ToolTipText)},
        {"{tipBase}", palette.color(QPalette::ToolTipBase)}};
    for (const auto &[name, value] : colours)
        result.replace(QLatin1String(name), value.name());
    return result;
}

} // namespace

std::optional<Appearance> appearanceFromString(const QString &text)
{
    for (const Appearance appearance : {Appearance::System, Appearance::Light, Appearance::Dark}) {
        if (toString(appearance) == text)
            return appearance;
    }
    return std::nullopt;
}

QString toString(Appearance appearance)
{
    switch (appearance) {
    case Appearance::System: return QStringLiteral("system");
    case Appearance::Light: return QStringLiteral("light");
    case Appearance::Dark: return QStringLiteral("dark");
    }
    return {};
}

void applyAppearance(QApplication &application, Appearance appearance)
{
    // The desktop's preference, read before our own palette hides it.
    static const bool systemIsDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    const bool dark = appearance == Appearance::Dark || (appearance == Appearance::System && systemIsDark);
    const QPalette palette = paletteFor(dark);
    QApplication::setPalette(palette);
    application.setStyleSheet(styleSheet(themeFor(palette), palette));
}

} // namespace stagecraft
