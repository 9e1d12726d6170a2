#include "desktop/areas/split_area.h"

#include "desktop/areas/open_area.h"
#include "desktop/dialogs/split_dialog.h"
#include "desktop/document/document.h"
#include "model/open_request.h"
#include "model/rewrite/split_operators.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kMostOffered = 16;

// Of the parts, their slices, or the join.
bool isOf(const std::string &name, const std::string &op, std::int64_t parts)
{
    bool is = name == nameOfJoin(op);
    for (std::int64_t part = 1; part <= parts; ++part)
        is = is || name == nameOfPart(op, part) || name.starts_with(nameOfPart(op, part) + ".rows");
    return is;
}

// 1: it cannot be split like that.
int mostParts(const Graph &graph, OperatorId op, bool byRows)
{
    int most = kMostOffered;
    while (most > 1 && !checkSplit(graph, op, most, byRows))
        --most;
    return most;
}

} // namespace

SplitArea::SplitArea(const AreaContext &context, OpenArea &opening) : Area(context), m_opening(opening)
{
    actions()
        .add("split_operator", QStringLiteral("Split &operator..."), QStringLiteral("Ctrl+Alt+L"), [this] { choose(); })
        ->setToolTip(QStringLiteral("Make the selected convolution or product several that may run side by side, or "
                                    "whole again"));
    connect(&selection(), &Selection::changed, this, &SplitArea::refresh);
}

void SplitArea::refresh()
{
    actions()["split_operator"]->setEnabled(selected().has_value());
}

std::optional<std::string> SplitArea::selected() const
{
    const ModelPtr &model = next().model();
    const auto op = selection().current().op;
    if (!model || !op || op->index() >= model->graph->size())
        return std::nullopt;
    const std::string &name = model->graph->op(*op).name;
    for (const auto &[split, parts] : model->reading.splits) {
        if (isOf(name, split, parts))
            return split;
    }
    return name;
}

void SplitArea::choose()
{
    const auto op = selected();
    const ModelPtr model = next().model();
    if (!op)
        return;
    const auto known = model->reading.splits.find(*op);
    const bool isWhole = known == model->reading.splits.end();
    SplitChoices choices;
    if (isWhole) {
        const OperatorId id = *model->graph->find(*op);
        choices.most = mostParts(*model->graph, id, false);
        choices.mostRows = mostParts(*model->graph, id, true);
        if (choices.most == 1 && choices.mostRows == 1)
            return refuse(checkSplit(*model->graph, id, 2).error());
    } else {
        choices.parts = static_cast<int>(known->second);
        choices.byRows = model->reading.splitByRows.contains(*op);
        (choices.byRows ? choices.mostRows : choices.most) = std::max(choices.parts, kMostOffered);
    }
    auto *dialog = new SplitDialog(QString::fromStdString(*op), choices, &window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SplitDialog::chosen, this, [this, op = *op](int parts, bool byRows) { split(op, parts, byRows); });
    dialog->show();
}

void SplitArea::split(const std::string &op, std::int64_t parts, bool byRows)
{
    const ModelPtr model = next().model();
    OpenRequest request = sameReading(*model, model->graph->batch());
    const bool wasWhole = request.reading.splits.erase(op) == 0;
    request.reading.splitByRows.erase(op);
    if (parts > 1)
        request.reading.splits.emplace(op, parts);
    if (byRows)
        request.reading.splitByRows.insert(op);
    m_opening.readAgain(
        std::move(request), wasWhole ? results().front().schedule : SchedulePtr(),
        QStringLiteral("%1 in %2%3")
            .arg(QString::fromStdString(op), plural(parts, "part"), byRows ? QStringLiteral(" by rows") : QString()));
}

} // namespace stagecraft
