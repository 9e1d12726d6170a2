#include "desktop/areas/tour_area.h"

#include "desktop/areas/open_area.h"
#include "desktop/areas/session_area.h"
#include "desktop/document/document.h"
#include "widgets/base/selection.h"

#include <QKeySequence>

#include <algorithm>

namespace stagecraft {
namespace {

const QString kSample = QStringLiteral("sample");

} // namespace

TourArea::TourArea(const AreaContext &context, OpenArea &open, const SessionArea &session)
    : Area(context), m_open(open), m_session(session)
{
    actions()
        .add("tour", QStringLiteral("First &tour"), QStringLiteral("Ctrl+Shift+F1"), [this] { begin(); })
        ->setToolTip(QStringLiteral("Five minutes with the sample network: search, look, edit, compare, save"));
    connect(&selection(), &Selection::changed, this, &TourArea::refresh);
    connect(&window(), &QWidget::windowTitleChanged, this, &TourArea::refresh); // it is saved under a name
}

TourArea::~TourArea()
{
    delete m_card; // it looks at the window, which is still whole
}

void TourArea::begin()
{
    end();
    m_card = new TourCard(&window());
    connect(m_card, &TourCard::endWanted, this, &TourArea::end);
    connect(m_card, &TourCard::nextWanted, this, [this] { showStep(m_step + 1); });
    connect(m_card, &TourCard::doItWanted, this, [this] { m_steps[m_step].doIt(); });
    m_steps = steps();
    showStep(0);
}

void TourArea::end()
{
    if (m_card)
        m_card->deleteLater();
    m_card = nullptr;
}

void TourArea::showStep(std::size_t index)
{
    while (index < m_steps.size() && m_steps[index].isDone && m_steps[index].isDone())
        ++index;
    if (index == m_steps.size()) {
        end();
        return;
    }
    m_step = index;
    m_card->showStep(m_steps[index].shown, static_cast<int>(index) + 1, static_cast<int>(m_steps.size()));
}

void TourArea::refresh()
{
    if (m_card && m_steps[m_step].isDone && m_steps[m_step].isDone())
        showStep(m_step + 1);
}

QString TourArea::keysOf(std::string_view action) const
{
    return QStringLiteral("<b>%1</b>")
        .arg(actions()[action]->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped());
}

bool TourArea::isSampleOpen() const
{
    return next().model() && next().model()->name == kSample.toStdString();
}

bool TourArea::has(Origin origin) const
{
    const auto isMade = [&](ResultId id) {
        const ScheduleResult *result = results().shelf().find(id);
        return result && result->origin == origin && result->schedule && !result->isUnderWay();
    };
    return isSampleOpen() && std::ranges::any_of(results().fitting(), isMade);
}

std::vector<TourArea::Step> TourArea::steps()
{
    std::vector<Step> steps;
    steps.push_back({{QStringLiteral("Open a network"),
                      QStringLiteral("A network is a graph of operators. The sample has four convolutions, three of "
                                     "which do not wait for each other: they may run side by side."),
                      QStringLiteral("Open the sample")},
                     [this] { return isSampleOpen(); },
                     [this] { m_open.openModel(kSample); }});
    steps.push_back({{QStringLiteral("Search"),
                      QStringLiteral("Sequential and Greedy are on the shelf, at the left, with their latencies. %1 "
                                     "searches for the stages that take the least time on the device at the top.")
                          .arg(keysOf("search")),
                      QStringLiteral("Search")},
                     [this] { return has(Origin::Searched); },
                     [this] { actions()["search"]->trigger(); }});
    steps.push_back({{QStringLiteral("Look"),
                      QStringLiteral("Click a stage in the schedule, in the middle. Graph and timeline show the same "
                                     "stage, and the inspector says where its time goes."),
                      QStringLiteral("Select a stage")},
                     [this] { return selection().current().stage.has_value(); },
                     [this] {
                         if (results().front().schedule)
                             selection().set(selectedAt(*results().front().schedule, 0));
                     }});
    steps.push_back({{QStringLiteral("Change it by hand"),
                      QStringLiteral("Click an operator in a stage that has several, and press <b>X</b>: it gets a "
                                     "stage of its own. Or drag it to another stage. What is not possible says why."),
                      {}},
                     [this] { return has(Origin::Edited); }});
    steps.push_back({{QStringLiteral("Compare"),
                      QStringLiteral("The edit is on the shelf, and was timed like the others: what it gained or lost "
                                     "stands above the schedule. The panel Comparison has all results; %1 puts the one "
                                     "chosen on the shelf beside. %2 takes the edit back, %3 makes it again.")
                          .arg(keysOf("open_beside"), keysOf("undo"), keysOf("redo")),
                      {}},
                     nullptr});
    steps.push_back(
        {{QStringLiteral("Keep it"),
          QStringLiteral("%1 saves the session: the model's place, all results, and what you see.").arg(keysOf("save")),
          QStringLiteral("Save")},
         [this] { return m_session.hasFile(); },
         [this] { actions()["save"]->trigger(); }});
    steps.push_back({{QStringLiteral("That was all"),
                      QStringLiteral("%1 opens a model of yours. %2 shows the keys of the panel in use, %3 finds "
                                     "anything by words, and %4 is the help.")
                          .arg(keysOf("open"), keysOf("pane_keys"), keysOf("palette"), keysOf("help")),
                      {}},
                     nullptr});
    return steps;
}

} // namespace stagecraft
