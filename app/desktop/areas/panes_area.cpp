#include "desktop/areas/panes_area.h"

#include "desktop/areas/panes/pane_row.h"
#include "desktop/areas/panes/schedule_pane.h"
#include "desktop/areas/shelf_area.h"
#include "desktop/dialogs/chooser.h"
#include "desktop/dialogs/export_dialog.h"
#include "desktop/document/document.h"
#include "widgets/base/format.h"
#include "widgets/base/pane_badge.h"
#include "widgets/base/selection.h"
#include "widgets/canvas/page_canvas.h"
#include "widgets/comparison/difference_table.h"
#include "widgets/schedule/span_change.h"
#include "widgets/shelf/shelf_view.h"

#include <QKeySequence>
#include <QLayout>
#include <QMenu>
#include <QSettings>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

QString lengthsKey()
{
    return QStringLiteral("schedule/lengths_are_latencies");
}

} // namespace

PanesArea::PanesArea(const AreaContext &context, const ShelfArea &shelf)
    : Area(context), m_shelf(shelf), m_panes(new PaneRow(&document(), &selection(), &window())),
      m_difference(new DifferenceTable(&window()))
{
    addActions();
    addViewActions();
    connectViews();
    offerMenu(m_difference, {"panes"});
}

std::vector<Dock> PanesArea::docks() const
{
    return {{7, QStringLiteral("Difference"), "difference", m_difference}};
}

void PanesArea::addActions()
{
    actions().add("open_beside", {}, QStringLiteral("Ctrl+Return"), [this] { openBeside(m_shelf.shelf()->chosen()); });
    actions().add("close_pane", QStringLiteral("&Close pane"), QStringLiteral("Ctrl+W"),
                  [this] { m_panes->close(m_panes->focused()); });
    const auto step = [this](std::size_t by) {
        m_panes->focus((m_panes->focused() + by) % m_panes->count());
        m_panes->focusedPane()->page()->setFocus();
    };
    actions().add("next_pane", QStringLiteral("&Next pane"), QStringLiteral("F9"), [step] { step(1); });
    actions().add("previous_pane", QStringLiteral("&Previous pane"), QStringLiteral("Shift+F9"),
                  [this, step] { step(m_panes->count() - 1); });
    actions().add("link_panes", QStringLiteral("Scroll and zoom &together"), QStringLiteral("Ctrl+K"),
                  [this] { m_panes->setLinked(!m_panes->isLinked()); });
    actions()["link_panes"]->setCheckable(true);
    actions()["link_panes"]->setChecked(true);
    actions()["link_panes"]->setToolTip(QStringLiteral("Scroll, zoom and fold all panes together (Ctrl+K)"));
    actions().add("fold_equal", QStringLiteral("&Fold equal stages"), QStringLiteral("Ctrl+E"),
                  [this] { m_panes->setEqualStagesFolded(!m_panes->areEqualStagesFolded()); });
    actions()["fold_equal"]->setCheckable(true);
    actions().add("next_difference", QStringLiteral("Next &difference"), QStringLiteral("F8"),
                  [this] { goToDifference(1); });
    actions().add("previous_difference", QStringLiteral("Previous d&ifference"), QStringLiteral("Shift+F8"),
                  [this] { goToDifference(-1); });
    const auto takeAction = [this](std::string_view name, const QKeySequence &keys, int neighbour, bool wholeBlock) {
        return actions().add(name, {}, keys, [this, neighbour, wholeBlock] {
            if (const auto take = m_panes->toTake(neighbour, wholeBlock))
                emit takeWanted(*take);
        });
    };
    m_take = {takeAction("take_span_of_left", QStringLiteral("Alt+Right"), -1, false),
              takeAction("take_span_of_right", QStringLiteral("Alt+Left"), 1, false),
              takeAction("take_block_of_left", QStringLiteral("Alt+Shift+Right"), -1, true),
              takeAction("take_block_of_right", QStringLiteral("Alt+Shift+Left"), 1, true)};
    actions().addEntries("panes", [this](QMenu *menu) {
        actions().fill(menu, {"open_beside", "choose_beside", "close_pane", "next_pane", "previous_pane", "-",
                              "link_panes", "fold_equal", "-", "next_difference", "previous_difference", "-",
                              "take_span_of_left", "take_span_of_right", "take_block_of_left", "take_block_of_right"});
    });
    actions().addEntries("panes_menu",
                         [this](QMenu *menu) { actions().fill(menu->addMenu(QStringLiteral("Panes")), {"panes"}); });
}

void PanesArea::addViewActions()
{
    const bool areLatencies = QSettings().value(lengthsKey()).toBool();
    QAction *lengths = actions().add("lengths", QStringLiteral("Box &length by latency"),
                                     QStringLiteral("Ctrl+Shift+L"), [this](bool on) {
                                         QSettings().setValue(lengthsKey(), on);
                                         m_panes->setLengthsLatencies(on);
                                     });
    lengths->setCheckable(true);
    lengths->setChecked(areLatencies);
    m_panes->setLengthsLatencies(areLatencies);
    actions().add("choose_beside", {}, QStringLiteral("Ctrl+Shift+Return"), [this] {
        const QToolButton *button = m_panes->focusedPane()->addButton();
        chooseBeside(button->mapToGlobal(button->rect().bottomLeft()));
    });
    actions().add("fit_schedule", QStringLiteral("Fit &schedule"), QStringLiteral("Ctrl+Shift+0"),
                  [this] { m_panes->focusedPane()->page()->fitAll(); });
}

void PanesArea::connectViews()
{
    m_panes->setGutterAction(actions()["link_panes"]);
    connect(m_panes, &PaneRow::panesChanged, this, [this] {
        tellLetters();
        refresh();
        emit viewChanged();
    });
    connect(&results(), &Results::frontChanged, this, &PanesArea::tellLetters);
    connect(&results(), &Results::shelfChanged, this, &PanesArea::tellLetters);
    connect(&results(), &Results::shelfChanged, this, &PanesArea::showDifference); // names
    connect(m_panes, &PaneRow::widthChanged, this, &PanesArea::refresh);
    connect(m_panes, &PaneRow::comparedChanged, this, &PanesArea::showDifference);
    connect(m_panes, &PaneRow::addPressed, this, &PanesArea::chooseBeside);
    connect(m_panes, &PaneRow::measureAgainPressed, this, &PanesArea::measureAgainWanted);
    connect(&selection(), &Selection::changed, this, [this] {
        m_difference->setCurrentSpan(m_panes->currentSpan());
        refresh();
    });
    connect(&m_shelf, &ShelfArea::besideWanted, this, &PanesArea::openBeside);
    connect(&m_shelf, &ShelfArea::selectionChanged, this, &PanesArea::refresh);
    connect(m_difference, &DifferenceTable::spanChosen, m_panes, &PaneRow::showSpan);
    connect(m_difference, &DifferenceTable::stageChosen, m_panes, &PaneRow::showStage);
    connect(m_difference, &DifferenceTable::blockChosen, this, [this](std::size_t block) {
        selection().set({std::nullopt, std::nullopt, block});
    });
    connect(m_difference, &DifferenceTable::menuRequested, this, [this](const QPoint &at) { openMenu(at, {"panes"}); });
}

void PanesArea::tellLetters()
{
    std::map<ResultId, QString> letters;
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        const ResultId id = m_panes->pane(i)->result();
        if (const QString of = m_panes->lettersOf(id); !of.isEmpty())
            letters[id] = of;
    }
    if (letters == m_letters)
        return;
    m_letters = std::move(letters);
    emit lettersChanged(m_letters);
}

std::vector<QWidget *> PanesArea::inOrder() const
{
    std::vector<QWidget *> panes;
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        panes.push_back(m_panes->pane(i));
    return panes;
}

void PanesArea::setTight(bool isTight)
{
    m_panes->setLeastWidth(isTight ? PaneRow::kNarrowestPane : PaneRow::kLeastTogether);
}

void PanesArea::takeKeys()
{
    m_panes->focusedPane()->page()->setFocus(Qt::ShortcutFocusReason);
}

// Why another pane does not fit; empty if it does.
QString PanesArea::whyNoneMore() const
{
    if (m_panes->count() >= PaneRow::kMostPanes)
        return QStringLiteral("four are open");
    // Docks at the sides give up as much width as they can.
    const int spare = window().width() - window().layout()->minimumSize().width();
    if (spare < PaneRow::widthOfOneMore() &&
        m_panes->width() < static_cast<int>(m_panes->count() + 1) * PaneRow::widthOfOneMore())
        return QStringLiteral("no room: widen the window or close a panel");
    return {};
}

void PanesArea::openBeside(ResultId id)
{
    const ScheduleResult *result = results().shelf().find(id);
    if (!result)
        return;
    if (const QString why = whyNoneMore(); !why.isEmpty()) {
        tell(QStringLiteral("%1 cannot be opened beside: %2.").arg(QString::fromStdString(result->shownName()), why),
             8000);
        return;
    }
    m_panes->openBeside(id);
    // Deferred: whether another pane fits is known after the new one is laid out.
    QMetaObject::invokeMethod(this, &PanesArea::refresh, Qt::QueuedConnection);
}

// Results that fit the next search come first; those already in a pane are left out.
void PanesArea::chooseBeside(const QPoint &at)
{
    if (!actions()["choose_beside"]->isEnabled())
        return;
    std::vector<Choice> fitting;
    std::vector<Choice> others;
    for (const ShelfRowGroup &group : m_shelf.shelf()->allRows()) {
        for (const ShelfRow &row : group.rows) {
            const ScheduleResult *result = results().shelf().find(row.id);
            if (!result || !result->schedule || !row.letters.isEmpty() || row.isShown)
                continue;
            (group.fits ? fitting : others).push_back({rowText(row), {}, true, [this, id = row.id] {
                                                           openBeside(id);
                                                       }});
        }
    }
    fitting.insert(fitting.end(), others.begin(), others.end());
    if (fitting.empty()) {
        tell(QStringLiteral("The shelf has nothing else to open beside."), 8000);
        return;
    }
    auto *chooser = new Chooser(QStringLiteral("Open beside"), std::move(fitting), &window());
    chooser->showAt(at);
}

void PanesArea::goToDifference(int direction)
{
    const auto span = m_panes->goToDifference(direction);
    if (!span)
        return;
    const ComparedSchedules &compared = *m_panes->compared();
    const auto &spans = compared.spans();
    const auto number = 1 + std::count_if(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(*span),
                                          [](const CommonSpan &each) { return !each.isEqual; });
    QStringList letters;
    for (std::size_t side = 0; side < compared.schedules().size(); ++side)
        letters << paneLetter(m_panes->paneOf(side));
    tell(QStringLiteral("Difference %1 of %2: %3 of %4, %5")
             .arg(number)
             .arg(compared.differences())
             .arg(stagesText(compared.schedule(0), spans[*span].sides[0]), letters.front(),
                  spanText(compared, *span, letters)),
         8000);
}

void PanesArea::showDifference()
{
    QStringList letters;
    QStringList names;
    const auto &compared = m_panes->compared();
    for (std::size_t side = 0; compared && side < compared->schedules().size(); ++side) {
        letters << paneLetter(m_panes->paneOf(side));
        names << m_panes->pane(m_panes->paneOf(side))->titleText();
    }
    m_difference->setCompared(compared, letters, names);
    m_difference->setCurrentSpan(m_panes->currentSpan());
}

void PanesArea::refresh()
{
    const QString why = whyNoneMore();
    actions()["open_beside"]->setText(why.isEmpty() ? QStringLiteral("Open &beside")
                                                    : QStringLiteral("Open &beside (%1)").arg(why));
    const ScheduleResult *chosen = results().shelf().find(m_shelf.shelf()->chosen());
    actions()["open_beside"]->setEnabled(why.isEmpty() && chosen);
    const bool several = m_panes->count() > 1;
    actions()["close_pane"]->setEnabled(several);
    actions()["next_pane"]->setEnabled(several);
    actions()["previous_pane"]->setEnabled(several);
    const bool compared = m_panes->compared() != nullptr;
    actions()["link_panes"]->setEnabled(several);
    actions()["link_panes"]->setChecked(m_panes->isLinked());
    actions()["fold_equal"]->setEnabled(m_panes->areStagesCompared());
    actions()["fold_equal"]->setChecked(m_panes->areEqualStagesFolded());
    const bool differ = compared && m_panes->compared()->differences() > 0;
    actions()["next_difference"]->setEnabled(differ);
    actions()["previous_difference"]->setEnabled(differ);
    actions()["choose_beside"]->setText(why.isEmpty() ? QStringLiteral("C&hoose what to open beside...")
                                                      : QStringLiteral("C&hoose what to open beside (%1)").arg(why));
    actions()["choose_beside"]->setEnabled(why.isEmpty() && !results().shelf().results().empty());
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        m_panes->pane(i)->addButton()->setEnabled(actions()["choose_beside"]->isEnabled());
    refreshTakes();
}

void PanesArea::refreshTakes()
{
    for (std::size_t i = 0; i < m_take.size(); ++i) {
        const bool fromLeft = i % 2 == 0;
        const bool wholeBlock = i >= 2;
        const auto take = m_panes->toTake(fromLeft ? -1 : 1, wholeBlock);
        m_take[i]->setEnabled(take.has_value());
        const QString what = wholeBlock ? QStringLiteral("block") : QStringLiteral("span");
        m_take[i]->setText(
            take ? QStringLiteral("Take %1, %2 of %3, into %4")
                       .arg(what, stagesText(take->fromStages), paneLetter(take->from), paneLetter(take->into))
                 : QStringLiteral("Take %1 from the pane at the %2")
                       .arg(what, fromLeft ? QStringLiteral("left") : QStringLiteral("right")));
    }
}

// The panes are restored when their model is opened again.
void PanesArea::keep()
{
    if (!next().model())
        return;
    std::erase_if(m_kept, [&](const Kept &kept) { return kept.model == next().settings().model; });
    Kept kept{next().settings().model, {}, m_panes->focused()};
    for (std::size_t i = 0; i < m_panes->count(); ++i)
        kept.results.push_back(m_panes->pane(i)->result());
    m_kept.push_back(std::move(kept));
}

void PanesArea::bringBack(const ModelReference &before)
{
    const ModelReference &now = next().settings().model;
    const auto kept = std::ranges::find(m_kept, now, &Kept::model);
    if (now != before && kept != m_kept.end())
        m_panes->show(kept->results, kept->focused);
}

void PanesArea::store(Session &session) const
{
    SessionView &view = session.view;
    for (std::size_t i = 0; i < m_panes->count(); ++i) {
        if (m_panes->pane(i)->result().isValid())
            view.panes.push_back(m_panes->pane(i)->result());
    }
    view.focused = std::min(m_panes->focused(), view.panes.size());
}

void PanesArea::restore(const Session &session)
{
    const SessionView &view = session.view;
    std::vector<ResultId> shown = view.panes;
    std::erase_if(shown, [this](ResultId id) { return !results().shelf().find(id); });
    if (shown.empty())
        return;
    results().setCurrent(shown.front());
    for (std::size_t i = 1; i < shown.size(); ++i)
        m_panes->openBeside(shown[i]);
    if (shown.size() == view.panes.size())
        m_panes->focus(view.focused);
}

void PanesArea::addTo(ExportSubject &subject) const
{
    subject.views[ExportView::Schedule] = m_panes;
}

} // namespace stagecraft
