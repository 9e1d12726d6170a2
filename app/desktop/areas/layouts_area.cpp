#include "desktop/areas/layouts_area.h"

#include "desktop/areas/layouts/layout_choices.h"
#include "desktop/document/document.h"
#include "desktop/work/jobs.h"

#include <QKeySequence>

namespace stagecraft {

LayoutsArea::LayoutsArea(const AreaContext &context)
    : Area(context), m_choices(new LayoutChoices(&document(), &jobs(), &selection(), this))
{
    actions()
        .add("layouts", {}, QStringLiteral("Ctrl+Shift+Y"), [this] { choose(); })
        ->setToolTip(QStringLiteral(
            "One layout per tensor for the stages of the result shown, of least total latency (Ctrl+Shift+Y)"));
    connect(m_choices, &LayoutChoices::changed, this, &LayoutsArea::choiceChanged);
    connect(&jobs(), &Jobs::layoutsProfiled, this, [this](qint64 done, qint64 all) {
        emit progressed(QStringLiteral("timing operators and conversions in each layout"), done, all);
    });
    connect(&jobs(), &Jobs::layoutsSearched, this, [this](qint64 done, qint64 all) {
        emit progressed(QStringLiteral("choosing layouts, operator"), done, all);
    });
    connect(&jobs(), &Jobs::layoutsChosen, this, &LayoutsArea::show);
}

void LayoutsArea::refresh()
{
    const QString why = m_choices->whyNotChoose();
    actions()["layouts"]->setEnabled(why.isEmpty());
    actions()["layouts"]->setText(why.isEmpty() ? QStringLiteral("Choose la&youts")
                                                : QStringLiteral("Choose la&youts (%1)").arg(why));
}

void LayoutsArea::choose()
{
    const ResultId of = document().current();
    if (!m_choices->whyNotChoose().isEmpty())
        return;
    const Shelf &shelf = document().shelf();
    LayoutsToChoose what{document().targetOf(of), {}, {of, shelf.find(of)->schedule}};
    const ResultId baseline = shelf.baseline(shelf.find(of)->settings);
    if (baseline.isValid() && baseline != of)
        what.baseline = {baseline, shelf.find(baseline)->schedule, true};
    what.id = document().addLayouts(of);
    emit wanted(what);
}

void LayoutsArea::show(const ChosenLayouts &chosen)
{
    document().setLayouts(chosen);
    const ScheduleResult *result = document().shelf().find(chosen.id);
    if (result && result->settings == document().settings())
        document().setCurrent(chosen.id);
}

} // namespace stagecraft
