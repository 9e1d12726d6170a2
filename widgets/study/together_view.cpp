#include "widgets/study/together_view.h"

#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/base/model_marks.h"
#include "widgets/base/time_part_look.h"
#include "widgets/study/form_lines.h"
#include "widgets/study/front_plot.h"
#include "widgets/study/study_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QStackedLayout>
#include <QTableWidget>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kBeside = 620; // pixels from which the plot is beside the tables
constexpr int kMark = 12;    // of a model or a part of the time, beside its name
constexpr double kLongest = 1e6;
constexpr double kUsualMs = 5;

enum class Mark { Model, TimePart };

QIcon markOf(Mark mark, std::size_t index, const Theme &theme)
{
    QPixmap pixmap(kMark * 2, kMark * 2);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    if (mark == Mark::Model)
        paintModelMark(painter, QRectF(3, 0, 5, kMark), index, theme);
    else
        fillTimePart(painter, QRectF(1, 1, kMark - 2, kMark - 2), static_cast<TimePart>(index), theme);
    return {pixmap};
}

QTableWidget *makeTable(const QString &name, QWidget *parent)
{
    auto *table = new QTableWidget(parent);
    table->setAccessibleName(name);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->setFrameShape(QFrame::NoFrame);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(22);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(40);
    return table;
}

// Names are at the left and take the room that is left; numbers are at the right.
void setHeader(QTableWidget *table, const QStringList &texts)
{
    table->setColumnCount(static_cast<int>(texts.size()));
    for (int column = 0; column < table->columnCount(); ++column) {
        auto *item = new QTableWidgetItem(texts[column]);
        item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        item->setToolTip(texts[column]);
        table->setHorizontalHeaderItem(column, item);
        table->horizontalHeader()->setSectionResizeMode(column, column == 0 ? QHeaderView::Stretch
                                                                            : QHeaderView::ResizeToContents);
    }
}

void addRow(QTableWidget *table, const QIcon &mark, const QStringList &texts, const QString &tip = {})
{
    const int row = table->rowCount();
    table->insertRow(row);
    for (int column = 0; column < texts.size(); ++column) {
        auto *item = new QTableWidgetItem(texts[column]);
        item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        item->setToolTip(tip.isEmpty() ? texts[column] : tip);
        if (column == 0)
            item->setIcon(mark);
        table->setItem(row, column, item);
    }
}

} // namespace

class TogetherView::Private {
public:
    explicit Private(TogetherView *owner) : q(owner) {}

    TogetherView *q;
    FactStrip *strip = nullptr;
    QLabel *hint = nullptr;
    QStackedLayout *stack = nullptr;
    QBoxLayout *halves = nullptr;
    QTableWidget *models = nullptr;
    QTableWidget *times = nullptr;
    FrontPlot *plot = nullptr;
    QPushButton *go = nullptr;
    QComboBox *whose = nullptr;
    QDoubleSpinBox *within = nullptr; // ms
    TogetherFacts facts;
    QString whyNot;
    bool isRunning = false;

    void createForm(QLayout *form)
    {
        go = new QPushButton(q);
        go->setObjectName(QStringLiteral("go"));
        whose = new QComboBox(q);
        whose->setObjectName(QStringLiteral("deadline_of"));
        whose->setAccessibleName(QStringLiteral("Deadline of a model"));
        whose->setToolTip(QStringLiteral("The model has its result within this time, and the other one as early as "
                                         "that allows; without a deadline, both end as early as they can"));
        within = new QDoubleSpinBox(q);
        within->setObjectName(QStringLiteral("deadline"));
        within->setAccessibleName(QStringLiteral("Deadline, ms"));
        within->setRange(0.001, kLongest);
        within->setDecimals(3);
        within->setValue(kUsualMs);
        within->setSuffix(QStringLiteral(" ms"));
        for (QWidget *each : std::initializer_list<QWidget *>{go, whose, within})
            form->addWidget(each);
        QObject::connect(go, &QPushButton::clicked, q,
                         [this] { isRunning ? emit q->stopRequested() : emit q->startRequested(); });
        QObject::connect(whose, &QComboBox::currentIndexChanged, q, [this] {
            refresh();
            emit q->deadlineChanged();
        });
        QObject::connect(within, &QDoubleSpinBox::valueChanged, q, &TogetherView::deadlineChanged);
    }

    QWidget *createContent()
    {
        auto *content = new QWidget(q);
        halves = new QBoxLayout(QBoxLayout::LeftToRight, content);
        halves->setContentsMargins(0, 0, 0, 0);
        halves->setSpacing(0);
        auto *tables = new QVBoxLayout;
        tables->setContentsMargins(8, 0, 4, 4);
        tables->setSpacing(2);
        models = makeTable(QStringLiteral("Latency of each model"), content);
        times = makeTable(QStringLiteral("Where the time goes"), content);
        plot = new FrontPlot(content);
        tables->addWidget(models);
        tables->addWidget(times, 1);
        times->setMinimumHeight(1); // the latencies above keep their place in a low panel
        halves->addLayout(tables, 6);
        halves->addWidget(plot, 5);
        return content;
    }

    void refresh() const
    {
        go->setText(isRunning ? QStringLiteral("Stop") : QStringLiteral("Plan both together"));
        go->setEnabled(isRunning || whyNot.isEmpty());
        go->setToolTip(isRunning ? QStringLiteral("Stop, with the best plan so far")
                       : whyNot.isEmpty()
                           ? QStringLiteral("Search for each model alone, then for stages and streams over both")
                           : whyNot);
        whose->setEnabled(whyNot.isEmpty());
        within->setEnabled(whyNot.isEmpty() && whose->currentIndex() > 0);
        hint->setText(!whyNot.isEmpty()
                          ? whyNot
                          : QStringLiteral("What each model takes beside the other appears here, and what "
                                           "it takes alone: press Plan both together."));
        showFacts();
        stack->setCurrentIndex(facts.isEmpty() ? 0 : 1);
    }

    void showFacts() const
    {
        if (!facts.shown) {
            strip->setMessage(facts.isEmpty() ? QString()
                                              : QStringLiteral("The result shown has no plan for both models"));
            return;
        }
        const TogetherPlan &plan = facts.plans[*facts.shown];
        std::vector<Fact> shown{{QStringLiteral("both"), latencyText(plan.latencyUs), QStringLiteral("00.00 ms"),
                                 facts.provenance ? provenanceText(*facts.provenance) : QString(), facts.provenance}};
        if (facts.inTurnUs > 0)
            shown.push_back({QStringLiteral("against one after another"),
                             QStringLiteral("%1×").arg(facts.inTurnUs / plan.latencyUs, 0, 'f', 2)});
        shown.push_back({QStringLiteral("plan"), plan.name});
        strip->setFacts(std::move(shown));
    }

    void showTables() const
    {
        const Theme theme = themeFor(q->palette());
        models->setRowCount(0);
        times->setRowCount(0);
        setHeader(models, {QStringLiteral("Model"), QStringLiteral("Together"), QStringLiteral("Alone"),
                           QStringLiteral("Slowdown")});
        for (std::size_t i = 0; i < kModelsTogether && facts.shown; ++i) {
            const double us = facts.plans[*facts.shown].endsUs[i];
            const double aloneUs = facts.aloneUs[i];
            addRow(models, markOf(Mark::Model, i, theme),
                   {facts.models[i], latencyText(us), aloneUs > 0 ? latencyText(aloneUs) : QStringLiteral("not known"),
                    aloneUs > 0 ? QStringLiteral("%1×").arg(us / aloneUs, 0, 'f', 2) : QString()});
        }
        models->setFixedHeight(models->horizontalHeader()->sizeHint().height() +
                               static_cast<int>(kModelsTogether) * models->verticalHeader()->defaultSectionSize() + 4);
        QStringList header{QStringLiteral("Where time goes")};
        for (std::size_t i = 0; i < facts.times.size(); ++i)
            header << (i + 1 < facts.times.size() ? QStringLiteral("In turn") : QStringLiteral("Shown"));
        setHeader(times, header);
        for (std::size_t i = 0; i < facts.times.size(); ++i) // the names may be long
            times->horizontalHeaderItem(static_cast<int>(i) + 1)->setToolTip(facts.times[i].name);
        for (std::size_t i = 0; i < kTimeParts; ++i) {
            const auto part = static_cast<TimePart>(i);
            if (std::ranges::none_of(facts.times, [&](const TogetherTime &time) { return time.parts.of(part) > 0; }))
                continue;
            QStringList texts{timePartWords(part, facts.times.back().sources)};
            for (const TogetherTime &time : facts.times)
                texts << latencyText(time.parts.of(part));
            addRow(times, markOf(Mark::TimePart, i, theme), texts, aboutTimePart(part));
        }
        times->setVisible(!facts.times.empty());
    }
};

TogetherView::TogetherView(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    auto *form = new FormLines(this);
    d.createForm(form->layout());
    const StudyPage made = layOutStudy(this, form, nullptr, d.createContent());
    d.strip = made.facts;
    d.hint = made.hint;
    d.stack = made.stack;
    setAccessibleName(QStringLiteral("Two models together"));
    connect(d.plot, &FrontPlot::chosen, this, &TogetherView::chosen);
    setFacts({});
}

TogetherView::~TogetherView() = default;

void TogetherView::setFacts(const TogetherFacts &facts)
{
    Private &d = *m_private;
    const int index = std::max(0, d.whose->currentIndex());
    const bool areOthers = d.facts.models != facts.models || d.whose->count() == 0;
    d.facts = facts;
    if (areOthers) {
        const QSignalBlocker quiet(d.whose);
        d.whose->clear();
        d.whose->addItem(QStringLiteral("No deadline"));
        for (const QString &model : facts.models) {
            if (!model.isEmpty())
                d.whose->addItem(QStringLiteral("%1 within").arg(model));
        }
        d.whose->setCurrentIndex(std::min(index, d.whose->count() - 1));
    }
    d.plot->setFacts(facts);
    d.showTables();
    d.refresh();
}

const TogetherFacts &TogetherView::facts() const
{
    return m_private->facts;
}

void TogetherView::setWhyNot(const QString &why)
{
    m_private->whyNot = why;
    m_private->refresh();
}

void TogetherView::setRunning(bool isRunning)
{
    if (std::exchange(m_private->isRunning, isRunning) != isRunning)
        m_private->refresh();
}

std::optional<TogetherView::Deadline> TogetherView::deadline() const
{
    const int index = m_private->whose->currentIndex();
    if (index <= 0)
        return std::nullopt;
    return Deadline{static_cast<std::size_t>(index) - 1, m_private->within->value() * 1e3};
}

void TogetherView::setDeadline(const std::optional<Deadline> &deadline)
{
    Private &d = *m_private;
    if (deadline)
        d.within->setValue(deadline->us / 1e3);
    d.whose->setCurrentIndex(deadline ? static_cast<int>(deadline->model) + 1 : 0);
}

FrontPlot *TogetherView::plot() const
{
    return m_private->plot;
}

QImage TogetherView::picture() const
{
    constexpr int kScale = 2;
    QWidget *content = m_private->plot->parentWidget();
    QImage image(content->size() * kScale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(kScale);
    image.fill(palette().color(QPalette::Window));
    content->render(&image);
    return image;
}

void TogetherView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) // marks beside names
        m_private->showTables();
}

void TogetherView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_private->halves->setDirection(width() >= kBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

} // namespace stagecraft
