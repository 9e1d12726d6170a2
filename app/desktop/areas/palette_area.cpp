#include "desktop/areas/palette_area.h"

#include "desktop/areas/shelf_area.h"
#include "desktop/dialogs/chooser.h"
#include "desktop/document/document.h"
#include "desktop/frame/menu_entries.h"
#include "widgets/base/selection.h"
#include "widgets/shelf/shelf_view.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenuBar>
#include <QPointer>

#include <utility>

namespace stagecraft {
namespace {

bool isControl(const QWidget &widget)
{
    return qobject_cast<const QComboBox *>(&widget) || qobject_cast<const QAbstractSpinBox *>(&widget) ||
           qobject_cast<const QCheckBox *>(&widget) || qobject_cast<const QLineEdit *>(&widget);
}

} // namespace

PaletteArea::PaletteArea(const AreaContext &context, const ShelfArea &shelf) : Area(context), m_shelf(shelf)
{
    actions()
        .add("palette", QStringLiteral("Find an&ything..."), QStringLiteral("Ctrl+Shift+P"), [this] { show(); })
        ->setToolTip(QStringLiteral("Finds entries of menus, samples, results, operators and settings by words"));
}

void PaletteArea::show()
{
    std::vector<Choice> choices;
    addEntries(choices);
    addResults(choices);
    addControls(choices);
    addOperators(choices);
    auto *chooser = new Chooser(QStringLiteral("Find anything"), std::move(choices), &window());
    chooser->showAt(window().mapToGlobal(QPoint(window().width() / 3, window().menuBar()->height())));
}

void PaletteArea::addEntries(std::vector<Choice> &choices) const
{
    for (const MenuEntry &entry : entriesOf(*window().menuBar())) {
        if (entry.action == actions()["palette"])
            continue;
        choices.push_back({QStringLiteral("%1 · %2").arg(entry.text, entry.path),
                           entry.action->shortcut().toString(QKeySequence::NativeText), entry.isEnabled,
                           [action = QPointer(entry.action)] {
                               if (action)
                                   action->trigger();
                           }});
    }
}

void PaletteArea::addResults(std::vector<Choice> &choices) const
{
    for (const ShelfRowGroup &group : m_shelf.shelf()->allRows()) {
        for (const ShelfRow &row : group.rows)
            choices.push_back({QStringLiteral("%1 · %2").arg(rowText(row), group.title), QStringLiteral("result"), true,
                               [this, id = row.id] { results().setCurrent(id); }});
    }
}

void PaletteArea::addControls(std::vector<Choice> &choices) const
{
    for (QWidget *widget : window().findChildren<QWidget *>()) {
        if (isControl(*widget) && widget->isVisible() && widget->isEnabled() && !widget->accessibleName().isEmpty())
            choices.push_back({widget->accessibleName(), QStringLiteral("setting"), true, [widget = QPointer(widget)] {
                                   if (widget)
                                       widget->setFocus(Qt::ShortcutFocusReason);
                               }});
    }
}

void PaletteArea::addOperators(std::vector<Choice> &choices) const
{
    const ModelPtr &model = next().model();
    if (!model)
        return;
    for (const Operator &op : model->graph->operators())
        choices.push_back(
            {QString::fromStdString(op.name), QStringLiteral("operator"), true, [this, model, name = op.name] {
                 if (next().model() == model)
                     selection().set(
                         selectedOperator(*model->graph, results().front().schedule.get(), *model->graph->find(name)));
             }});
}

} // namespace stagecraft
