#include "desktop/areas/split_area.h"

#include "desktop/areas/open_area.h"
#include "desktop/dialogs/split_dialog.h"
#include "desktop/document/document.h"
#include "model/rewrite/split_operators.h"
#include "widgets/base/selection.h"

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kMostOffered = 16;

// Of the parts, or of the join.
bool isOf(const std::string &name, const std::string &op, std::int64_t parts)
{
    bool is = name == nameOfJoin(op);
    for (std::int64_t part = 1; part <= parts; ++part)
        is = is || name == nameOfPart(op, part);
    return is;
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
    const auto split = model->reading.splits.find(*op);
    const bool isWhole = split == model->reading.splits.end();
    int most = kMostOffered;
    if (isWhole) {
        const OperatorId id = *model->graph->find(*op);
        if (const auto can = checkSplit(*model->graph, id, 2); !can)
            return refuse(can.error());
        while (!checkSplit(*model->graph, id, most))
            --most;
    }
    const int parts = isWhole ? 1 : static_cast<int>(split->second);
    auto *dialog = new SplitDialog(QString::fromStdString(*op), parts, std::max(most, parts), &window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SplitDialog::chosen, this,
            [this, op = *op](int chosen) { m_opening.split(op, chosen, results().front().schedule); });
    dialog->show();
}

} // namespace stagecraft
