// How the model file is read: chosen in a dialog, kept for the file, said where the file leaves sizes open.

#include "desktop/dialogs/reading_dialog.h"
#include "desktop/main_window.h"
#include "flow/open/model_reading.h"
#include "support/error_text.h"
#include "widgets/passes/passes_panel.h"

#include <QAction>
#include <QFileInfo>
#include <QStatusBar>

namespace stagecraft {

void MainWindow::createReadingAction()
{
    m_actions.add("reading", QStringLiteral("Ho&w it is read..."), QStringLiteral("Ctrl+Alt+U"),
                  [this] { chooseReading(); });
    m_actions["reading"]->setToolTip(
        QStringLiteral("Sizes of inputs, schedule units and passes of the open model file"));
}

// Models that are no files consist of units already.
void MainWindow::refreshReadingAction()
{
    const ModelPtr &model = m_document->model();
    m_actions["reading"]->setEnabled(model && !model->report.types.empty());
}

void MainWindow::chooseReading()
{
    const ModelPtr model = m_document->model();
    if (!model || model->report.types.empty())
        return;
    showReading(ReadingProposal::of(*model), QString::fromStdString(model->source), model->graph->batch());
}

void MainWindow::showReading(const ReadingProposal &proposal, const QString &spec, std::int64_t batch)
{
    auto *dialog = new ReadingDialog(proposal, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ReadingDialog::wanted, this,
            [this, spec, batch](const SessionReading &reading) { readAgain(spec, batch, reading); });
    dialog->show();
}

void MainWindow::readAgain(const QString &spec, std::int64_t batch, const SessionReading &reading)
{
    statusBar()->showMessage(QStringLiteral("Opening %1 ...").arg(QFileInfo(spec).fileName()));
    // Chosen sizes have their batch.
    m_jobs->open(spec, readOptions(reading, reading.shapes.empty() ? batch : 0));
    m_passes->setReading(QStringLiteral("Reading %1 again ...").arg(QFileInfo(spec).fileName()));
}

// A file that is refused at the sizes that were tried.
void MainWindow::offerSizes(const QString &spec, const Error &error, const std::vector<OpenInput> &open)
{
    ReadingProposal proposal;
    proposal.name = QFileInfo(spec).completeBaseName();
    proposal.openInputs = open;
    m_messages->show(MessageBar::Kind::Error, QString::fromStdString(errorText(error)),
                     QStringLiteral("Choose sizes..."), [this, proposal, spec] { showReading(proposal, spec, 0); });
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
