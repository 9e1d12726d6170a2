#include "desktop/areas/reading_area.h"

#include "desktop/areas/open/named_files.h"
#include "desktop/areas/open_area.h"
#include "desktop/dialogs/reading_dialog.h"
#include "desktop/document/document.h"
#include "model/open_request.h"
#include "model/rewrite/chosen_blocks.h"
#include "widgets/base/selection.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

ReadingArea::ReadingArea(const AreaContext &context, OpenArea &opening) : Area(context), m_opening(opening)
{
    actions()
        .add("reading", QStringLiteral("Ho&w it is read..."), QStringLiteral("Ctrl+Alt+U"), [this] { choose(); })
        ->setToolTip(QStringLiteral("Sizes of inputs, schedule units and passes of the open model file, and what was "
                                    "changed by hand"));
    actions()
        .add("cut_block", QStringLiteral("Cut &block after operator"), QStringLiteral("Alt+Shift+B"),
             [this] { cutBlock(); })
        ->setToolTip(QStringLiteral("The selected operator and all that leads to it become a block of their own"));
    actions()
        .add("join_blocks", QStringLiteral("&Join block with the next"), QStringLiteral("Alt+Shift+J"),
             [this] { joinBlocks(); })
        ->setToolTip(QStringLiteral("The block of the selected operator and the one behind it are searched as one"));
    QAction *apart = actions().add("keep_apart", QStringLiteral("Keep parts of unit apart"),
                                   QStringLiteral("Alt+Shift+A"), [this] { keepApart(); });
    apart->setCheckable(true);
    apart->setToolTip(QStringLiteral("The operators of the file that the selected unit was made of become units of "
                                     "their own, or part of it again"));
    connect(&opening, &OpenArea::sizesWanted, this, &ReadingArea::show);
    connect(&selection(), &Selection::changed, this, &ReadingArea::refresh);
}

void ReadingArea::refresh()
{
    const ModelPtr &model = next().model();
    // Models that are no files consist of units already.
    actions()["reading"]->setEnabled(model && (!model->report.types.empty() || !model->reading.isUsual()));
    const auto op = selection().current().op;
    const bool isSelected = model && op && op->index() < model->graph->size();
    actions()["cut_block"]->setEnabled(isSelected);
    actions()["join_blocks"]->setEnabled(isSelected);
    const std::set<std::string> parts = isSelected ? partsOfSelected() : std::set<std::string>();
    actions()["keep_apart"]->setEnabled(!parts.empty());
    actions()["keep_apart"]->setChecked(!parts.empty() && model->reading.apart.contains(*parts.begin()));
}

void ReadingArea::choose()
{
    const ModelPtr model = next().model();
    if (model)
        show(QString::fromStdString(model->name), sameReading(*model, model->graph->batch()), model->report);
}

void ReadingArea::show(const QString &name, const OpenRequest &request, const ImportReport &report)
{
    auto *dialog = new ReadingDialog(name, request.reading, report, &window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ReadingDialog::wanted, this, [this, request](const Reading &wanted) {
        OpenRequest again = request;
        again.reading = wanted;
        m_opening.readAgain(std::move(again));
    });
    dialog->show();
}

void ReadingArea::switchPass(const QString &pass, bool on)
{
    const ModelPtr model = next().model();
    if (!model || model->report.passes.empty())
        return;
    OpenRequest request = sameReading(*model, model->graph->batch());
    if (on)
        request.reading.without.erase(pass.toStdString());
    else
        request.reading.without.insert(pass.toStdString());
    m_opening.readAgain(std::move(request));
    emit m_opening.readingAgain(
        QStringLiteral("Reading %1 again %2 %3 ...")
            .arg(shortSpec(next().spec()), on ? QStringLiteral("with") : QStringLiteral("without"), pass));
}

void ReadingArea::cutBlock()
{
    const Model &model = *next().model();
    const std::string &name = model.graph->op(*selection().current().op).name;
    Reading reading = model.reading;
    reading.cutAfter.insert(name);
    readWith(reading, QStringLiteral("cut after %1").arg(QString::fromStdString(name)));
}

void ReadingArea::joinBlocks()
{
    const Model &model = *next().model();
    const OperatorId op = *selection().current().op;
    const auto block = std::ranges::find_if(
        model.blocks, [&](const Block &each) { return std::ranges::binary_search(each.operators, op); });
    readWith(joinedBehind(*model.graph, *block, model.reading),
             QStringLiteral("joined after %1").arg(QString::fromStdString(model.graph->op(op).name)));
}

std::set<std::string> ReadingArea::partsOfSelected() const
{
    const Model &model = *next().model();
    const OperatorId op = *selection().current().op;
    if (const std::string &name = model.graph->op(op).name; model.reading.apart.contains(name))
        return {name};
    std::set<std::string> parts;
    for (const PassReport &pass : model.report.passes) {
        for (const PassChange &change : pass.changes) {
            if (change.unit == op && change.before.isValid())
                parts.insert(change.name);
        }
    }
    return parts;
}

void ReadingArea::keepApart()
{
    Reading reading = next().model()->reading;
    for (const std::string &part : partsOfSelected()) {
        if (!reading.apart.insert(part).second)
            reading.apart.erase(part);
    }
    OpenRequest request = sameReading(*next().model(), next().model()->graph->batch());
    request.reading = std::move(reading);
    m_opening.readAgain(std::move(request));
}

void ReadingArea::readWith(const Reading &reading, const QString &name)
{
    const ModelPtr model = next().model();
    OpenRequest request = sameReading(*model, model->graph->batch());
    request.reading = reading;
    m_opening.readAgain(std::move(request), results().front().schedule, name);
}

} // namespace stagecraft
