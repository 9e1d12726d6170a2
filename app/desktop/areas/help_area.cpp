#include "desktop/areas/help_area.h"

#include "desktop/dialogs/about.h"
#include "desktop/dialogs/help_window.h"
#include "desktop/dialogs/keys_dialog.h"
#include "desktop/dialogs/pane_keys.h"
#include "desktop/frame/icons.h"

#include <QDockWidget>
#include <QKeySequence>
#include <QMenuBar>
#include <QMessageBox>

namespace stagecraft {

HelpArea::HelpArea(const AreaContext &context) : Area(context), m_help(new HelpWindow(&window()))
{
    actions()
        .add("help", QStringLiteral("&Help"), QKeySequence::HelpContents, [this] { m_help->showPage(); })
        ->setToolTip(QStringLiteral("What the words mean, how to use the window, keys (F1)"));
    actions().add("keys", QStringLiteral("&Keys and mouse"), QStringLiteral("Shift+F1"),
                  [this] { m_help->showPage(QStringLiteral("keys")); });
    actions()
        .add("change_keys", QStringLiteral("&Change keys..."), QStringLiteral("Ctrl+Alt+K"),
             [this] { (new KeysDialog(actions(), *window().menuBar(), &window()))->open(); })
        ->setToolTip(QStringLiteral("Gives entries of menus other keys, and writes them to a file"));
    actions()
        .add("paper", QStringLiteral("The paper &reproduced"), QStringLiteral("Ctrl+F1"),
             [this] { m_help->showPage(QStringLiteral("reproduction.html")); })
        ->setToolTip(QStringLiteral("Every table and figure of the IOS paper beside what the simulated V100 says"));
    actions().add("about", QStringLiteral("&About Stagecraft"), {}, [this] { showAbout(); });
}

void HelpArea::showKeys(const QWidget &area)
{
    const auto *dock = qobject_cast<const QDockWidget *>(&area);
    auto *keys = new PaneKeys(dock ? dock->objectName() : QStringLiteral("schedule"),
                              dock ? dock->windowTitle() : QStringLiteral("Schedule"), &window());
    connect(keys, &PaneKeys::helpWanted, m_help, &HelpWindow::showPage);
    keys->showOver(area);
}

void HelpArea::showAbout()
{
    auto *box = new QMessageBox(&window());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->setWindowTitle(QStringLiteral("About Stagecraft"));
    box->setIconPixmap(applicationIcon().pixmap(64, 64));
    box->setText(aboutTitle());
    box->setInformativeText(aboutText());
    box->show();
}

} // namespace stagecraft
