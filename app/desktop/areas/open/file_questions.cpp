#include "desktop/areas/open/file_questions.h"

#include "desktop/dialogs/dialog_folder.h"

#include <QFileDialog>

namespace stagecraft {

QStringList askForModels(QWidget *parent)
{
    QStringList paths =
        QFileDialog::getOpenFileNames(parent, QStringLiteral("Open a model, a session or a profile"), dialogFolder(),
                                      QStringLiteral("Models and sessions (%1 *.stagecraft);;Sessions (*.stagecraft);;"
                                                     "Schedules (*.schedule.json);;"
                                                     "Profiles of other programs (*.json *.gz *.sqlite *.pftrace);;"
                                                     "All files (*)")
                                          .arg(modelPatterns()));
    if (!paths.isEmpty())
        keepDialogFolder(paths.front());
    return paths;
}

QString askForSchedule(QWidget *parent)
{
    QString path = QFileDialog::getOpenFileName(parent, QStringLiteral("Open a schedule"), dialogFolder(),
                                                QStringLiteral("Schedules (*.schedule.json);;"
                                                               "Graphs with stages of the IOS project (*.json);;"
                                                               "All files (*)"));
    if (!path.isEmpty())
        keepDialogFolder(path);
    return path;
}

} // namespace stagecraft
