#include "desktop/areas/palette_area.h"

#include "desktop/areas/shelf_area.h"
#include "desktop/dialogs/chooser.h"
#include "desktop/document/document.h"
#include "widgets/base/selection.h"
#include "widgets/shelf/shelf_view.h"

#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPointer>

#include <utility>

namespace stagecraft {
namespace {

// As it is written in a menu, without the marks of its letters.
QString plain(QString text)
{
    text.replace(QStringLiteral("&&"), QStringLiteral("\x01"));
    text.remove(QLatin1Char('&'));
    return text.replace(QStringLiteral("\x01"), QStringLiteral("&"));
}

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
    for (const QAction *title : window().menuBar()->actions()) {
        if (title->menu())
            addEntries(choices, title->menu(), plain(title->text()));
    }
    addResults(choices);
    addControls(choices);
    addOperators(choices);
    auto *chooser = new Chooser(QStringLiteral("Find anything"), std::move(choices), &window());
    chooser->showAt(window().mapToGlobal(QPoint(window().width() / 3, window().menuBar()->height())));
}

void PaletteArea::addEntries(std::vector<Choice> &choices, const QMenu *menu, const QString &path) const
{
    emit const_cast<QMenu *>(menu)->aboutToShow(); // some are filled only then
    for (QAction *action : menu->actions()) {
        const QString text = plain(action->text());
        if (action->menu()) {
            addEntries(choices, action->menu(), QStringLiteral("%1 › %2").arg(path, text));
        } else if (!action->isSeparator() && action->isVisible() && action != actions()["palette"]) {
            const QString keys = action->shortcut().toString(QKeySequence::NativeText);
            choices.push_back(
                {QStringLiteral("%1 · %2").arg(text, path), keys, action->isEnabled(), [action = QPointer(action)] {
                     if (action)
                         action->trigger();
                 }});
        }
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
