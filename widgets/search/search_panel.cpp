#include "widgets/search/search_panel.h"

#include "support/number_ranges.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"
#include "widgets/search/device_options_button.h"
#include "widgets/search/elided_combo_box.h"
#include "widgets/search/number_box.h"

#include <QAbstractItemView>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPainter>
#include <QPixmap>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft {
namespace {

// An item role of the device box, next to the id.
constexpr int kProvenanceRole = Qt::UserRole + 1;
// Of the strategy box: whether r, s and single source are for it.
constexpr int kHasStages = Qt::UserRole + 2;
constexpr int kWholeBar = 1000;

constexpr int kWideButton = 92;

// No block has more operators, so this value means no bound.
constexpr int kNoBound = static_cast<int>(kMaxBlockOperators);

std::optional<int> boundOf(const QSpinBox &box)
{
    return box.value() < kNoBound ? std::optional(box.value()) : std::nullopt;
}

// The line of a device says what kind of numbers it has, or why it has none.
QString deviceText(const DeviceChoice &choice)
{
    if (!choice.available)
        return QStringLiteral("%1: %2").arg(choice.title, choice.unavailableReason.section(QLatin1Char(':'), 0, 0));
    const QString word = provenanceText(choice.provenance);
    return choice.title.contains(word) ? choice.title : QStringLiteral("%1 (%2)").arg(choice.title, word);
}

// An empty circle if there are no numbers.
QIcon provenanceDot(Provenance provenance, bool isAvailable, const Theme &theme)
{
    constexpr int kSize = 32; // scaled down by the views
    QPixmap pixmap(kSize, kSize);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isAvailable ? QPen(Qt::NoPen) : QPen(theme.mutedText, kSize / 16.0));
    painter.setBrush(isAvailable ? QBrush(theme.provenance(provenance)) : QBrush(Qt::NoBrush));
    painter.drawEllipse(QRectF(kSize / 4.0, kSize / 4.0, kSize / 2.0, kSize / 2.0));
    return pixmap;
}

} // namespace

class SearchPanel::Private {
public:
    QComboBox *device = nullptr;
    DeviceOptionsButton *deviceOptions = nullptr;
    NumberBox *batch = nullptr;
    QComboBox *strategy = nullptr;
    NumberBox *r = nullptr;
    NumberBox *s = nullptr;
    QCheckBox *singleSource = nullptr;
    QPushButton *go = nullptr;
    QPushButton *next = nullptr; // queues another search while one runs
    QHBoxLayout *fields = nullptr;
    std::vector<QLabel *> labels; // in front of the fields
    QProgressBar *bar = nullptr;
    FactStrip *facts = nullptr;
    QIcon searchIcon;
    QIcon stopIcon;
    QAction *singleSourceAction = nullptr;
    QAction *launchOrderAction = nullptr;
    int tightness = 0;
    bool running = false;
    bool ready = false;

    // The full name, which may not fit the box, and the facts about the device.
    void showDeviceToolTip() const
    {
        device->setToolTip(
            (device->currentText() + QLatin1Char('\n') + device->currentData(Qt::ToolTipRole).toString()).trimmed());
    }

    void showDots(const Theme &theme) const
    {
        const auto *items = qobject_cast<const QStandardItemModel *>(device->model());
        for (int i = 0; i < device->count(); ++i) {
            const auto provenance = static_cast<Provenance>(device->itemData(i, kProvenanceRole).toInt());
            device->setItemIcon(i, provenanceDot(provenance, !items || items->item(i)->isEnabled(), theme));
        }
    }

    // The value stays, and why is said.
    void sayWhatIsRefused(SearchPanel *panel, const QString &name, const NumberBox *box) const
    {
        QObject::connect(box, &NumberBox::refused, panel, [panel, name, box](const QString &text, int stays) {
            emit panel->refused(QStringLiteral("%1: %2 is not a whole number from %3 to %4. It stays %5.")
                                    .arg(name, text.isEmpty() ? QStringLiteral("nothing") : text)
                                    .arg(box->minimum())
                                    .arg(box->maximum())
                                    .arg(stays));
        });
    }

    void refresh()
    {
        go->setText(running ? QStringLiteral("Stop") : QStringLiteral("Search"));
        go->setIcon(running ? stopIcon : searchIcon);
        go->setEnabled(ready);
        go->setToolTip(running ? QStringLiteral("Stop and keep the best schedule so far (Shift+F5)")
                               : QStringLiteral("Search for the fastest schedule (F5)"));
        next->setVisible(running && tightness == 0);
        if (!running)
            showProved(0);
    }

    // The share of the best latency that is proved to be necessary. Until something is, the bar shows only that there
    // is work.
    void showProved(double share) const
    {
        bar->setRange(0, running && share <= 0 ? 0 : kWholeBar);
        bar->setValue(static_cast<int>(kWholeBar * std::min(1.0, share)));
        bar->setToolTip(QStringLiteral("How much of the best latency so far is proved to be necessary"));
    }
};

SearchPanel::SearchPanel(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.device = new ElidedComboBox(this);
    d.device->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    d.device->setMinimumContentsLength(9);
    d.device->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    d.device->setMaximumWidth(300);
    d.device->setAccessibleName(QStringLiteral("Device"));
    d.deviceOptions = new DeviceOptionsButton(this);
    connect(d.deviceOptions, &DeviceOptionsButton::deviceWanted, this, &SearchPanel::deviceChanged);
    d.batch = new NumberBox(this);
    d.batch->setRange(1, kLargestBatch);
    d.batch->setKeyboardTracking(false);
    d.batch->setToolTip(QStringLiteral("Batch: how many images the model takes at once"));
    d.batch->setAccessibleName(QStringLiteral("Batch"));
    d.strategy = new ElidedComboBox(this);
    d.strategy->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    d.strategy->setMinimumContentsLength(11);
    d.strategy->addItem(QStringLiteral("IOS-Both"), static_cast<int>(StrategySet::Both));
    d.strategy->addItem(QStringLiteral("IOS-Parallel"), static_cast<int>(StrategySet::Parallel));
    d.strategy->addItem(QStringLiteral("IOS-Merge"), static_cast<int>(StrategySet::Merge));
    d.strategy->setToolTip(QStringLiteral("Strategies a stage may use: concurrent execution, operator merge, or both"));
    d.strategy->setAccessibleName(QStringLiteral("Strategy"));
    d.r = new NumberBox(this);
    d.r->setAccessibleName(QStringLiteral("Operators per group"));
    d.r->setToolTip(QStringLiteral("Pruning: at most r operators per group (%1: no bound)").arg(kNoBound));
    d.s = new NumberBox(this);
    d.s->setAccessibleName(QStringLiteral("Groups per stage"));
    d.s->setToolTip(QStringLiteral("Pruning: at most s groups per stage (%1: no bound)").arg(kNoBound));
    for (QSpinBox *box : {d.r, d.s})
        box->setRange(0, kNoBound);
    d.r->setValue(3);
    d.s->setValue(8);
    d.singleSource = new QCheckBox(QStringLiteral("single source"), this);
    d.singleSource->setToolTip(
        QStringLiteral("Only stages whose every group starts at a single operator, as the public IOS engine has it"));
    d.go = new QPushButton(this);
    d.go->setObjectName(QStringLiteral("primary"));
    d.go->setMinimumWidth(kWideButton);
    d.next = new QPushButton(QStringLiteral("Search next"), this);
    d.next->setToolTip(QStringLiteral("Put a search with these settings in line (F5)"));
    d.bar = new QProgressBar(this);
    d.bar->setTextVisible(false);
    d.bar->setFixedSize(120, 6);
    d.showProved(0);
    d.bar->setAccessibleName(QStringLiteral("Proved"));
    d.facts = new FactStrip(this);
    d.facts->setMessage(QStringLiteral("Open a model, then search for its fastest schedule."));

    auto *row = new QHBoxLayout;
    d.fields = row;
    row->setSpacing(6);
    const auto labelled = [this, row](const QString &text, QWidget *widget) {
        auto *label = new QLabel(text, this);
        label->setObjectName(QStringLiteral("field"));
        label->setBuddy(widget);
        m_private->labels.push_back(label);
        row->addWidget(label);
        row->addWidget(widget);
        row->addSpacing(6);
    };
    labelled(QStringLiteral("Device"), d.device);
    row->setStretch(row->indexOf(d.device), 8);
    row->insertWidget(row->indexOf(d.device) + 1, d.deviceOptions);
    labelled(QStringLiteral("Batch"), d.batch);
    labelled(QStringLiteral("Strategy"), d.strategy);
    labelled(QStringLiteral("r"), d.r);
    labelled(QStringLiteral("s"), d.s);
    row->addWidget(d.singleSource);
    row->addSpacing(6);
    row->addWidget(d.go);
    row->addWidget(d.next);
    row->addStretch(1);
    auto *second = new QHBoxLayout;
    second->setSpacing(12);
    second->addWidget(d.bar);
    second->addWidget(d.facts, 1);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 4);
    column->setSpacing(4);
    column->addLayout(row);
    column->addLayout(second);
    d.refresh();

    connect(d.device, &QComboBox::currentIndexChanged, this, [this] {
        m_private->showDeviceToolTip();
        emit deviceChanged(deviceId());
    });
    connect(d.batch, &QSpinBox::valueChanged, this, [this](int value) { emit batchChanged(value); });
    d.sayWhatIsRefused(this, QStringLiteral("Batch"), d.batch);
    d.sayWhatIsRefused(this, QStringLiteral("r"), d.r);
    d.sayWhatIsRefused(this, QStringLiteral("s"), d.s);
    connect(d.strategy, &QComboBox::currentIndexChanged, this, [this] {
        const Private &own = *m_private;
        const bool hasStages = other().isEmpty() || own.strategy->currentData(kHasStages).toBool();
        for (QWidget *field :
             {static_cast<QWidget *>(own.r), static_cast<QWidget *>(own.s), static_cast<QWidget *>(own.singleSource)})
            field->setEnabled(hasStages);
        emit optionsChanged();
    });
    connect(d.r, &QSpinBox::valueChanged, this, &SearchPanel::optionsChanged);
    connect(d.s, &QSpinBox::valueChanged, this, &SearchPanel::optionsChanged);
    d.singleSourceAction = new QAction(QStringLiteral("Si&ngle source"), this);
    d.singleSourceAction->setCheckable(true);
    d.singleSourceAction->setShortcut(QStringLiteral("Ctrl+Alt+S"));
    d.singleSourceAction->setToolTip(d.singleSource->toolTip());
    connect(d.singleSourceAction, &QAction::toggled, d.singleSource, &QCheckBox::setChecked);
    connect(d.singleSource, &QCheckBox::toggled, d.singleSourceAction, &QAction::setChecked);
    connect(d.singleSource, &QCheckBox::toggled, this, &SearchPanel::optionsChanged);
    d.launchOrderAction = new QAction(QStringLiteral("Choose launch &orders"), this);
    d.launchOrderAction->setCheckable(true);
    d.launchOrderAction->setShortcut(QStringLiteral("Ctrl+Alt+O"));
    d.launchOrderAction->setToolTip(QStringLiteral(
        "After a search of stages choose in which order the launches of each stage come, where that is faster"));
    connect(d.launchOrderAction, &QAction::toggled, this, &SearchPanel::optionsChanged);
    connect(d.next, &QPushButton::clicked, this, &SearchPanel::searchRequested);
    connect(d.go, &QPushButton::clicked, this, [this] {
        if (m_private->running)
            emit stopRequested();
        else
            emit searchRequested();
    });
}

SearchPanel::~SearchPanel() = default;

void SearchPanel::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && m_private->device)
        m_private->showDots(themeFor(palette()));
    QWidget::changeEvent(event);
}

void SearchPanel::setDevices(const std::vector<DeviceChoice> &devices, const QString &current)
{
    Private &d = *m_private;
    const QSignalBlocker blocker(d.device);
    d.device->clear();
    for (const DeviceChoice &choice : devices) {
        d.device->addItem(deviceText(choice), choice.id);
        d.device->setItemData(d.device->count() - 1, choice.detail, Qt::ToolTipRole);
        d.device->setItemData(d.device->count() - 1, static_cast<int>(choice.provenance), kProvenanceRole);
        auto *items = qobject_cast<QStandardItemModel *>(d.device->model());
        if (items && !choice.available)
            items->item(d.device->count() - 1)->setEnabled(false);
    }
    d.showDots(themeFor(palette()));
    QAbstractItemView *list = d.device->view(); // shows full names even if the box is narrow
    list->setMinimumWidth(list->sizeHintForColumn(0) + d.device->iconSize().width() +
                          list->verticalScrollBar()->sizeHint().width());
    setDeviceId(current);
}

QString SearchPanel::deviceId() const
{
    return m_private->device->currentData().toString();
}

void SearchPanel::setDeviceId(const QString &id)
{
    const QSignalBlocker blocker(m_private->device);
    m_private->device->setCurrentIndex(std::max(0, m_private->device->findData(id)));
    m_private->showDeviceToolTip();
}

DeviceOptionsButton *SearchPanel::deviceOptions() const
{
    return m_private->deviceOptions;
}

void SearchPanel::setBatch(std::int64_t batch)
{
    const QSignalBlocker blocker(m_private->batch);
    m_private->batch->setMaximum(std::max(kLargestBatch, static_cast<int>(batch)));
    m_private->batch->setValue(static_cast<int>(batch));
}

std::int64_t SearchPanel::batch() const
{
    return m_private->batch->value();
}

void SearchPanel::addStrategies(const std::vector<Other> &others, const QString &tip)
{
    Private &d = *m_private;
    d.strategy->insertSeparator(d.strategy->count());
    for (const Other &other : others) {
        d.strategy->addItem(other.title, other.word);
        d.strategy->setItemData(d.strategy->count() - 1, other.hasStages, kHasStages);
        d.strategy->setItemData(d.strategy->count() - 1, tip, Qt::ToolTipRole);
    }
}

QString SearchPanel::other() const
{
    const QVariant chosen = m_private->strategy->currentData();
    return chosen.userType() == QMetaType::QString ? chosen.toString() : QString();
}

void SearchPanel::setOther(const QString &word)
{
    const int index = word.isEmpty() ? -1 : m_private->strategy->findData(word);
    if (index >= 0)
        m_private->strategy->setCurrentIndex(index);
}

SearchOptions SearchPanel::options() const
{
    const Private &d = *m_private;
    SearchOptions options;
    if (other().isEmpty())
        options.strategies = static_cast<StrategySet>(d.strategy->currentData().toInt());
    options.r = boundOf(*d.r);
    options.s = boundOf(*d.s);
    options.singleSource = d.singleSource->isChecked();
    options.ordersLaunches = d.launchOrderAction->isChecked();
    options.order = SearchOrder::Auto;
    options.bounds = SearchBounds::Auto;
    return options;
}

void SearchPanel::setOptions(const SearchOptions &options)
{
    Private &d = *m_private;
    d.strategy->setCurrentIndex(d.strategy->findData(static_cast<int>(options.strategies)));
    d.r->setValue(options.r.value_or(kNoBound));
    d.s->setValue(options.s.value_or(kNoBound));
    d.singleSource->setChecked(options.singleSource);
    d.launchOrderAction->setChecked(options.ordersLaunches);
}

void SearchPanel::setTightness(int level)
{
    Private &d = *m_private;
    d.tightness = level;
    for (QLabel *label : d.labels)
        label->setVisible(level == 0);
    d.device->setMinimumContentsLength(level == 0 ? 9 : 4);
    d.deviceOptions->setNarrow(level > 0);
    d.deviceOptions->setVisible(level < 2); // Shift+F7 opens it all the same
    d.go->setMinimumWidth(level == 0 ? kWideButton : 0);
    d.singleSource->setVisible(level < 2);
    d.refresh();
    d.fields->invalidate(); // so that the minimum width is up to date at once
    layout()->invalidate();
    updateGeometry();
}

QAction *SearchPanel::launchOrderAction() const
{
    return m_private->launchOrderAction;
}

QAction *SearchPanel::singleSourceAction() const
{
    return m_private->singleSourceAction;
}

void SearchPanel::setReady(bool ready)
{
    m_private->ready = ready;
    m_private->refresh();
}

void SearchPanel::setRunning(bool running)
{
    m_private->running = running;
    m_private->refresh();
}

bool SearchPanel::isRunning() const
{
    return m_private->running;
}

void SearchPanel::setIcons(const QIcon &search, const QIcon &stop)
{
    m_private->searchIcon = search;
    m_private->stopIcon = stop;
    m_private->refresh();
}

void SearchPanel::showProgress(const RunningSearch &search, const SearchProgress &progress, const QString &timeLeft)
{
    m_private->showProved(progress.bestUs > 0 ? progress.lowerBoundUs / progress.bestUs : 0);
    m_private->facts->setFacts(progressFacts(search, progress, timeLeft));
}

void SearchPanel::showRounds(const QString &what, int done, int rounds, const QString &timeLeft)
{
    Private &d = *m_private;
    d.bar->setRange(0, rounds);
    d.bar->setValue(done);
    d.bar->setToolTip(QStringLiteral("How many rounds are timed"));
    std::vector<Fact> facts{{QStringLiteral("%1: timing the schedules in rounds").arg(what),
                             QStringLiteral("round %1 of %2").arg(done + 1).arg(rounds),
                             {}}};
    if (!timeLeft.isEmpty())
        facts.push_back({{}, timeLeft, QStringLiteral("about 000 min left")});
    d.facts->setFacts(std::move(facts));
}

void SearchPanel::showSteps(const QString &what, std::int64_t done, std::int64_t all)
{
    Private &d = *m_private;
    d.bar->setRange(0, static_cast<int>(all));
    d.bar->setValue(static_cast<int>(done));
    d.bar->setToolTip(what);
    const QString width = QStringLiteral("%1 of %1").arg(countText(all));
    d.facts->setFacts({{what, QStringLiteral("%1 of %2").arg(countText(done), countText(all)), width}});
}

void SearchPanel::showResult(const QString &what, const TimedSchedule &schedule, const QString &faster)
{
    m_private->facts->setFacts(resultFacts(what, schedule, faster));
}

void SearchPanel::showTimed(const RunningSearch &search, std::int64_t schedules, double bestUs)
{
    m_private->bar->setRange(0, 0);
    m_private->facts->setFacts({{search.name, plural(schedules, "schedule") + QStringLiteral(" timed")},
                                latencyFact(QStringLiteral("best"), bestUs, search)});
}

void SearchPanel::showMessage(const QString &message)
{
    m_private->facts->setMessage(message);
}

QString SearchPanel::progressText() const
{
    return m_private->facts->plainText();
}

} // namespace stagecraft
