#include "desktop/areas/help_area.h"

#include "desktop/dialogs/about.h"
#include "desktop/dialogs/help_window.h"
#include "desktop/frame/icons.h"

#include <QKeySequence>
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
        .add("paper", QStringLiteral("The paper &reproduced"), QStringLiteral("Ctrl+F1"),
             [this] { m_help->showPage(QStringLiteral("reproduction.html")); })
        ->setToolTip(QStringLiteral("Every table and figure of the IOS paper beside what the simulated V100 says"));
    actions().add("about", QStringLiteral("&About Stagecraft"), {}, [this] { showAbout(); });
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
