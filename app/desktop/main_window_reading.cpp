// How the model file is read: chosen in a dialog, kept for the file, said where the file leaves sizes open.

#include "desktop/action_maker.h"
#include "desktop/main_window.h"
#include "desktop/reading_dialog.h"
#include "services/model_reading.h"

#include <QAction>
#include <QFileInfo>
#include <QStatusBar>

namespace stagecraft {

void MainWindow::createReadingAction()
{
    const ActionMaker make(this);
    m_sessionActions.reading =
        make(QStringLiteral("Ho&w it is read..."), QStringLiteral("Ctrl+Alt+U"), [this] { chooseReading(); });
    m_sessionActions.reading->setToolTip(
        QStringLiteral("Sizes of inputs, schedule units and passes of the open model file"));
}

// Models that are no files consist of units already.
void MainWindow::refreshReadingAction()
{
    const ModelPtr &model = m_document->model();
    m_sessionActions.reading->setEnabled(model && !model->report.types.empty());
}

void MainWindow::chooseReading()
{
    const ModelPtr model = m_document->model();
    if (!model || model->report.types.empty())
        return;
    auto *dialog = new ReadingDialog(*model, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ReadingDialog::wanted, this,
            [this, model](const SessionReading &reading) { readAgain(*model, reading); });
    dialog->show();
}

void MainWindow::readAgain(const Model &model, const SessionReading &reading)
{
    const QString spec = QString::fromStdString(model.source);
    // Chosen sizes have their batch.
    const std::int64_t batch = reading.shapes.empty() ? model.graph->batch() : 0;
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(spec).fileName()));
    m_jobs->open(spec, readOptions(reading, batch));
}

// A guess is never made in silence. False: the file leaves nothing open.
bool MainWindow::tellOpenSizes()
{
    const ModelPtr &model = m_document->model();
    QStringList guessed;
    for (const OpenInput &input : model->report.openInputs) {
        if (!input.isChosen)
            guessed << QStringLiteral("%1 as %2")
                           .arg(QString::fromStdString(input.name),
                                QString::fromStdString(toString(Shape{input.sizes})));
    }
    if (guessed.isEmpty())
        return false;
    m_messages->show(MessageBar::Kind::Warning,
                     QStringLiteral("%1 leaves sizes of its inputs open. Taken are some that fit: %2.")
                         .arg(QString::fromStdString(model->name), guessed.join(QStringLiteral(", "))),
                     QStringLiteral("Choose sizes..."), [this] { chooseReading(); });
    return true;
}

} // namespace stagecraft
