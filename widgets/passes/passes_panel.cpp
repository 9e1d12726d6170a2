#include "widgets/passes/passes_panel.h"

#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/selection.h"
#include "widgets/passes/before_after.h"
#include "widgets/passes/change_list.h"
#include "widgets/passes/pass_list.h"

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kSentenceHeight = 230; // from this height on the sentence of the pass has a line of its own
constexpr int kRoomy = 980;          // from this width on the two lists are beside each other

} // namespace

PassesPanel::PassesPanel(Selection *selection, QWidget *parent)
    : QWidget(parent), m_selection(selection), m_passes(new PassList), m_changes(new ChangeList),
      m_graphs(new BeforeAfter), m_lists(new QSplitter(Qt::Vertical)), m_all(new QSplitter(Qt::Horizontal)),
      m_status(new ElidedLabel), m_content(new QWidget(this)), m_empty(new QWidget(this)), m_emptyText(new QLabel),
      m_open(new QPushButton(QStringLiteral("Open a model file..."))), m_stack(new QStackedLayout(this))
{
    for (QSplitter *splitter : {m_lists, m_all}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(3);
        connect(splitter, &QSplitter::splitterMoved, this, [this] { m_isArranged = true; });
    }
    m_passes->setMinimumSize(150, 60);
    m_changes->setMinimumSize(150, 90);
    m_graphs->setMinimumSize(180, 120);
    m_lists->addWidget(m_passes);
    m_lists->addWidget(m_changes);
    m_all->addWidget(m_lists);
    m_all->addWidget(m_graphs);
    m_all->setStretchFactor(0, 0);
    m_all->setStretchFactor(1, 1);
    m_status->setObjectName(QStringLiteral("hint"));
    m_status->setElideMode(Qt::ElideRight);
    m_status->setContentsMargins(8, 3, 8, 3);
    auto *column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_status);
    column->addWidget(m_all, 1);
    m_emptyText->setObjectName(QStringLiteral("hint"));
    m_emptyText->setWordWrap(true);
    m_emptyText->setAlignment(Qt::AlignCenter);
    auto *page = new QVBoxLayout(m_empty);
    page->addStretch(1);
    page->addWidget(m_emptyText);
    page->addWidget(m_open, 0, Qt::AlignHCenter);
    page->addStretch(1);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);
    m_open->setObjectName(QStringLiteral("open"));
    connect(m_open, &QPushButton::clicked, this, &PassesPanel::openRequested);
    connect(m_passes, &PassList::chosen, this, &PassesPanel::showPass);
    connect(m_passes->rows(), &PassListModel::switchRequested, this, &PassesPanel::switchRequested);
    connect(m_changes, &ChangeList::chosen, this, &PassesPanel::chooseChange);
    connect(m_graphs, &BeforeAfter::unitChosen, this, [this](OperatorId unit) {
        m_isChoosing = true;
        emit unitChosen(unit);
        m_isChoosing = false;
    });
    connect(m_graphs, &BeforeAfter::drawingFinished, this, &PassesPanel::drawingFinished);
    connect(selection, &Selection::changed, this, &PassesPanel::selectionChanged);
    setModel(nullptr);
}

void PassesPanel::setDot(const DotRunnerFactory &dotRunnerFactory)
{
    m_graphs->setDot(dotRunnerFactory);
}

void PassesPanel::setModel(std::shared_ptr<const Model> model)
{
    const bool isSame = m_model && model && m_model->source == model->source; // read in another way
    const QString before = isSame ? m_passes->current() : QString();
    m_model = std::move(model);
    m_reading.clear();
    dropSteps();
    if (!m_model || m_model->report.passes.empty()) {
        m_passes->rows()->setRows({});
        m_changes->setReport(nullptr, nullptr);
        showEmpty(!m_model
                      ? QStringLiteral("How the operators of a model file become schedule units, pass by pass, "
                                       "appears here.")
                      : QStringLiteral("%1 consists of schedule units already: no pass runs on it. The passes of a "
                                       "model file appear here, each with the graph before and after it.")
                            .arg(QString::fromStdString(m_model->name)));
        return;
    }
    std::vector<PassRow> rows = passRows(*m_model);
    const auto first = std::ranges::max_element(rows, {}, &PassRow::operators);
    const QString most = first->name;
    m_passes->rows()->setBusy(false);
    m_passes->rows()->setRows(std::move(rows));
    m_stack->setCurrentWidget(m_content);
    m_passes->choose(before.isEmpty() ? most : before);
    showPass();
}

void PassesPanel::showEmpty(const QString &text)
{
    m_emptyText->setText(text);
    m_stack->setCurrentWidget(m_empty);
}

void PassesPanel::setReading(const QString &text)
{
    m_reading = text;
    m_passes->rows()->setBusy(!text.isEmpty());
    showStatus();
}

const PassReport *PassesPanel::report() const
{
    return m_model ? reportOf(*m_model, m_passes->current().toStdString()) : nullptr;
}

void PassesPanel::showStatus()
{
    m_status->setVisible(height() >= kSentenceHeight || !m_reading.isEmpty());
    if (!m_reading.isEmpty()) {
        m_status->setText(m_reading);
        return;
    }
    const QModelIndex index = m_passes->currentIndex();
    if (!index.isValid())
        return;
    const PassRow &row = m_passes->rows()->row(index.row());
    m_status->setText(QStringLiteral("%1: %2").arg(row.name, row.whyNot.isEmpty() ? row.what : row.whyNot));
}

void PassesPanel::showPass()
{
    if (!m_model || m_model->report.passes.empty())
        return;
    if (m_stepsOf != m_passes->current())
        dropSteps();
    const PassReport *of = report();
    m_changes->setReport(m_model, of);
    showStatus();
    selectionChanged();
    showChange();
}

QString PassesPanel::textWithoutChanges(const PassReport *of) const
{
    if (of)
        return QStringLiteral("%1 found nothing to do here.").arg(m_passes->current());
    const QModelIndex index = m_passes->currentIndex();
    return index.isValid() ? m_passes->rows()->row(index.row()).whyNot : QStringLiteral("Choose a pass.");
}

void PassesPanel::showChange()
{
    const PassReport *of = report();
    if (!of || of->changes.empty()) {
        m_graphs->setText(textWithoutChanges(of));
        return;
    }
    const PassChangeRow *row = m_changes->current();
    if (m_stepsOf != m_passes->current()) {
        requestSteps();
    } else if (!m_steps.empty()) {
        std::vector<std::string> names;
        for (const std::size_t change : row ? row->changes : std::vector<std::size_t>())
            names.push_back(of->changes[change].name);
        m_graphs->show(m_steps, names);
        if (row && row->unit.isValid())
            m_graphs->selectUnit(row->unit);
    }
}

void PassesPanel::chooseChange()
{
    showChange();
    const PassChangeRow *row = m_changes->current();
    if (!row || !row->unit.isValid() || m_isChoosing)
        return;
    m_isChoosing = true;
    emit unitChosen(row->unit);
    m_isChoosing = false;
}

// What is selected elsewhere is shown where this pass changed it.
void PassesPanel::selectionChanged()
{
    const auto op = m_selection->current().op;
    if (!op || !m_model || !isSeen())
        return;
    m_graphs->selectUnit(*op);
    if (m_isChoosing)
        return;
    m_isChoosing = true;
    m_changes->choose(*op);
    m_isChoosing = false;
}

void PassesPanel::requestSteps()
{
    const QString pass = m_passes->current();
    if (!isSeen() || m_wanted == pass)
        return;
    m_wanted = pass;
    m_graphs->setText(QStringLiteral("Reading %1 for the graphs before and after %2 ...")
                          .arg(QString::fromStdString(m_model->name), pass));
    emit stepsWanted(pass);
}

void PassesPanel::dropSteps()
{
    m_wanted.clear();
    m_stepsOf.clear();
    m_steps.clear();
}

void PassesPanel::setSteps(const std::shared_ptr<const Model> &model, const QString &pass, std::vector<PassStep> steps)
{
    if (model != m_model || pass != m_wanted)
        return;
    m_wanted.clear();
    m_stepsOf = pass;
    m_steps = std::move(steps);
    if (m_steps.empty())
        m_graphs->setText(QStringLiteral("%1 changed nothing that the graph shows.").arg(pass));
    else
        showChange();
}

void PassesPanel::setNoSteps(const std::shared_ptr<const Model> &model, const QString &pass, const QString &why)
{
    if (m_wanted.isEmpty() || (model && (model != m_model || pass != m_wanted)))
        return;
    m_stepsOf = std::exchange(m_wanted, {});
    m_graphs->setText(QStringLiteral("The graphs cannot be shown: %1").arg(why));
}

QString PassesPanel::emptyText() const
{
    return m_stack->currentWidget() == m_empty ? m_emptyText->text() : QString();
}

QString PassesPanel::statusText() const
{
    return m_status->text();
}

bool PassesPanel::isBusy() const
{
    return !m_wanted.isEmpty() || m_graphs->isBusy();
}

void PassesPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    showStatus();
    const Qt::Orientation orientation = width() >= kRoomy ? Qt::Horizontal : Qt::Vertical;
    if (m_lists->orientation() == orientation && m_isArranged) // by hand
        return;
    m_isArranged = false;
    m_lists->setOrientation(orientation);
    const bool isRow = orientation == Qt::Horizontal;
    const int lists = width() * (isRow ? 46 : 42) / 100;
    m_all->setSizes({lists, width() - lists});
    const int along = isRow ? lists : height();
    m_lists->setSizes({along * 48 / 100, along * 52 / 100});
}

// A dock behind another tab is shown, but outside of the window.
bool PassesPanel::isSeen() const
{
    return isVisible() && !visibleRegion().isEmpty();
}

// Two graphs are not kept for nothing.
void PassesPanel::setInFront(bool isInFront)
{
    if (isInFront) {
        selectionChanged();
        showChange();
        return;
    }
    dropSteps();
    m_graphs->setText({});
}

void PassesPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    setInFront(true);
}

void PassesPanel::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    setInFront(false);
}

QSize PassesPanel::sizeHint() const
{
    return {760, 300};
}

} // namespace stagecraft
