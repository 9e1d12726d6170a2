// stagecraft-pictures: the command line with what draws, for exports as pictures. stagecraft-cli hands over to it, with
// the same arguments, so that it needs Qt only where there is something to draw. Needs no display.

#include "cli/run_cli.h"
#include "pictures/draw_export.h"
#include "pictures/picture_page.h"

#include <QApplication>

#include <array>
#include <iostream>

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &, const QString &text) {
        if (type == QtCriticalMsg || type == QtFatalMsg) // not that there is no desktop
            std::cerr << "stagecraft-pictures: " << text.toStdString() << '\n';
    });
    int count = 1; // the others are not Qt's
    std::array<char *, 2> program{argv[0], nullptr};
    const QApplication application(count, program.data());
    QApplication::setFont(stagecraft::pictureFont());
    return stagecraft::runCli(argc, argv, stagecraft::drawExport);
}
