#include "desktop/areas/models_area.h"

#include "desktop/dialogs/chooser.h"
#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/generator_dialog.h"
#include "desktop/document/document.h"
#include "flow/open_beside.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QFileDialog>
#include <QKeySequence>

#include <vector>

namespace stagecraft {
namespace {

QString withReason(const QString &what, const QString &why)
{
    return why.isEmpty() ? what : QStringLiteral("%1. Not now: %2").arg(what, why);
}

} // namespace

ModelsArea::ModelsArea(const AreaContext &context) : Area(context)
{
    actions()
        .add("generator", QStringLiteral("Network with si&zes..."), QStringLiteral("Ctrl+Alt+N"),
             [this] { chooseGenerator(); })
        ->setToolTip(QStringLiteral("A transformer, experts, a UNet, ... of the sizes that you choose"));
    actions().add("add_model", QStringLiteral("Add &model..."), QStringLiteral("Ctrl+Alt+A"),
                  [this] { chooseAdded(); });
    actions().add("remove_model", QStringLiteral("Ta&ke a model away..."), QStringLiteral("Ctrl+Alt+X"),
                  [this] { chooseRemoved(); });
}

void ModelsArea::refresh()
{
    const ModelPtr &model = next().model();
    const bool areSeveral = model && !model->parts.empty();
    actions()["add_model"]->setEnabled(model != nullptr);
    actions()["add_model"]->setToolTip(
        withReason(QStringLiteral("Open another model beside this one: both share the device, and are searched, drawn "
                                  "and exported as one"),
                   model ? QString() : QStringLiteral("no model is open")));
    actions()["remove_model"]->setEnabled(areSeveral);
    actions()["remove_model"]->setToolTip(withReason(
        QStringLiteral("Go on without one of the models that are open; results of all of them stay on the shelf"),
        areSeveral ? QString() : QStringLiteral("one model is open at most")));
}

void ModelsArea::chooseGenerator()
{
    auto *dialog = new GeneratorDialog(&window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GeneratorDialog::chosen, this, &ModelsArea::modelWanted);
    dialog->show(next().spec());
}

void ModelsArea::chooseAdded()
{
    if (!next().model())
        return;
    auto *dialog = new GeneratorDialog(&window(), QString::fromStdString(next().model()->name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &GeneratorDialog::chosen, this, &ModelsArea::add);
    connect(dialog, &GeneratorDialog::fileWanted, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(&window(), QStringLiteral("Add a model"), dialogFolder(),
                                         QStringLiteral("Models (%1);;All files (*)").arg(modelPatterns()));
        if (path.isEmpty())
            return;
        keepDialogFolder(path);
        add(path);
    });
    dialog->show({});
}

void ModelsArea::chooseRemoved()
{
    const ModelPtr model = next().model();
    if (!model || model->parts.empty())
        return;
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < model->parts.size(); ++i)
        choices.push_back({shownName(model->parts[i].name),
                           plural(static_cast<std::int64_t>(model->parts[i].operators), "operator"), true,
                           [this, i] { remove(i); }});
    auto *chooser = new Chooser(QStringLiteral("Take a model away"), std::move(choices), &window());
    chooser->showAt(window().mapToGlobal(window().rect().center()));
}

void ModelsArea::add(const QString &spec)
{
    if (const ModelPtr &model = next().model())
        emit readingWanted(besideRequest(*model, spec.toStdString()));
}

void ModelsArea::remove(std::size_t model)
{
    const ModelPtr &both = next().model();
    if (both && model < both->parts.size())
        emit readingWanted(withoutRequest(*both, model));
}

} // namespace stagecraft
