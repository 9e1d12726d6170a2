#include "desktop/dialogs/devices_dialog.h"

#include "desktop/dialogs/members_table.h"
#include "desktop/kept/places.h"
#include "support/error_text.h"
#include "widgets/base/format.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

enum PlaceColumn { PlaceName, PlaceState, PlaceLoad };

constexpr int kId = Qt::UserRole; // of a device, or the name of a place

QString factOf(const DeviceInfo &device, std::string_view name)
{
    const auto fact = std::ranges::find(device.facts, name, &std::pair<std::string, std::string>::first);
    return fact == device.facts.end() ? QString() : QString::fromStdString(fact->second);
}

// "0.4 of 2 processors", "0.4 of 2 processors, in use by stagecraft-cli (4711)".
QString loadText(const DeviceInfo &device)
{
    QStringList parts{factOf(device, "load"), factOf(device, "queue")};
    if (const QString holder = factOf(device, "in use by"); !holder.isEmpty())
        parts << QStringLiteral("in use by %1").arg(holder);
    parts.removeAll(QString());
    return parts.join(QStringLiteral(", "));
}

// A host is meant unless it says otherwise.
QString placeFrom(const QString &text)
{
    const QString place = text.trimmed();
    const bool isWhole = place.startsWith(QStringLiteral("ssh:")) || place.startsWith(QStringLiteral("slurm:"));
    return place.isEmpty() || isWhole ? place : QStringLiteral("ssh:") + place;
}

} // namespace

DevicesDialog::DevicesDialog(QWidget *parent)
    : QDialog(parent), m_name(new QLineEdit(this)), m_tree(new QTreeWidget(this)), m_members(new MembersTable(this)),
      m_add(new QPushButton(QStringLiteral("&Add and test"), this)),
      m_test(new QPushButton(QStringLiteral("&Test again"), this)),
      m_remove(new QPushButton(QStringLiteral("&Remove"), this)), m_use(new QPushButton(QStringLiteral("&Use"), this)),
      m_message(new QLabel(this))
{
    setWindowTitle(QStringLiteral("Devices elsewhere"));
    auto *page = new QVBoxLayout(this);
    auto *row = new QHBoxLayout;
    auto *label = new QLabel(QStringLiteral("&Host or partition"), this);
    label->setBuddy(m_name);
    m_name->setObjectName(QStringLiteral("place"));
    m_name->setAccessibleName(QStringLiteral("Host or partition"));
    m_name->setPlaceholderText(QStringLiteral("gpu1, me@host:2222 or slurm:PARTITION"));
    m_name->setToolTip(QStringLiteral("A host as ssh takes it, with a name of ~/.ssh/config, too; or slurm: and a "
                                      "partition. Your own ssh is used, with its keys and settings."));
    row->addWidget(label);
    row->addWidget(m_name, 1);
    row->addWidget(m_add);
    page->addLayout(row);
    m_tree->setObjectName(QStringLiteral("places"));
    m_tree->setAccessibleName(QStringLiteral("Hosts and their devices"));
    m_tree->setHeaderLabels({QStringLiteral("Device"), QStringLiteral("State"), QStringLiteral("Load")});
    m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_tree->header()->setStretchLastSection(false);
    for (const PlaceColumn column : {PlaceName, PlaceLoad})
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(PlaceState, QHeaderView::Stretch);
    page->addWidget(m_tree, 1);
    m_members->hide();
    page->addWidget(m_members, 1);
    m_message->setObjectName(QStringLiteral("trouble"));
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setTextFormat(Qt::PlainText); // other machines have a say in it
    page->addWidget(m_message);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    for (QPushButton *button : {m_use, m_test, m_remove})
        buttons->addButton(button, QDialogButtonBox::ActionRole);
    for (QPushButton *button : {m_use, m_test, m_remove, buttons->button(QDialogButtonBox::Close)})
        button->setAutoDefault(false); // Return adds, and closes nothing
    m_add->setDefault(true);
    page->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_name, &QLineEdit::textChanged, this, &DevicesDialog::refresh);
    connect(m_add, &QPushButton::clicked, this, &DevicesDialog::add);
    connect(m_test, &QPushButton::clicked, this, &DevicesDialog::test);
    connect(m_remove, &QPushButton::clicked, this, &DevicesDialog::remove);
    connect(m_use, &QPushButton::clicked, this, &DevicesDialog::use);
    connect(m_tree, &QTreeWidget::itemSelectionChanged, this, &DevicesDialog::refresh);
    connect(m_tree, &QTreeWidget::itemActivated, this, [this] { m_use->isEnabled() ? use() : test(); });
    for (const QString &place : keptPlaces())
        static_cast<void>(itemOf(place));
    if (m_tree->topLevelItemCount() == 0)
        m_message->setText(
            QStringLiteral("Name a machine that you reach with ssh: its devices are listed here, and measure "
                           "as those of this machine do. Nothing of Stagecraft listens on a port."));
    resize(640, 380);
    refresh();
}

// Made if there is none.
QTreeWidgetItem *DevicesDialog::itemOf(const QString &place) const
{
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i) {
        if (m_tree->topLevelItem(i)->data(PlaceName, kId) == place)
            return m_tree->topLevelItem(i);
    }
    auto *item = new QTreeWidgetItem(m_tree, {place, QStringLiteral("not tested yet")});
    item->setData(PlaceName, kId, place);
    return item;
}

QTreeWidgetItem *DevicesDialog::chosenPlace() const
{
    const auto chosen = m_tree->selectedItems();
    if (chosen.size() != 1)
        return nullptr;
    return chosen.front()->parent() ? chosen.front()->parent() : chosen.front();
}

// Empty if the selection has anything else than devices that are available.
QStringList DevicesDialog::chosenDevices() const
{
    QStringList ids;
    for (const QTreeWidgetItem *item : m_tree->selectedItems()) {
        if (!item->parent() || item->isDisabled())
            return {};
        ids << item->data(PlaceName, kId).toString();
    }
    return ids;
}

void DevicesDialog::add()
{
    const QString place = placeFrom(m_name->text());
    if (place.isEmpty() || !m_testing.isEmpty())
        return;
    m_tree->setCurrentItem(itemOf(place));
    m_name->clear();
    emit testWanted(place);
}

// Also ends the test that runs.
void DevicesDialog::test()
{
    if (!m_testing.isEmpty()) {
        itemOf(std::exchange(m_testing, QString()))->setText(PlaceState, QStringLiteral("the test was stopped"));
        emit testStopped();
        refresh();
    } else if (const QTreeWidgetItem *item = chosenPlace()) {
        emit testWanted(item->data(PlaceName, kId).toString());
    }
}

void DevicesDialog::remove()
{
    if (const QTreeWidgetItem *item = chosenPlace()) {
        forgetPlace(item->data(PlaceName, kId).toString());
        delete item;
    }
    refresh();
}

void DevicesDialog::use()
{
    if (const QStringList ids = chosenDevices(); !ids.isEmpty())
        emit deviceWanted(ids.join(QLatin1Char(',')));
}

void DevicesDialog::setTesting(const QString &place)
{
    m_testing = place;
    itemOf(place)->setText(PlaceState, QStringLiteral("is asked..."));
    m_message->clear();
    refresh();
}

void DevicesDialog::showDevices(const QString &place, const Result<std::vector<DeviceInfo>> &devices)
{
    m_testing.clear();
    QTreeWidgetItem *item = itemOf(place);
    qDeleteAll(item->takeChildren());
    if (!devices) {
        item->setText(PlaceState, QString::fromStdString(devices.error().message));
        item->setToolTip(PlaceState, item->text(PlaceState));
        m_message->setText(QString::fromStdString(errorText(devices.error())));
        refresh();
        return;
    }
    keepPlace(place);
    item->setText(PlaceState, plural(static_cast<std::int64_t>(devices->size()), "device"));
    item->setToolTip(PlaceState, {});
    for (const DeviceInfo &device : *devices) {
        auto *row = new QTreeWidgetItem(
            item, {QString::fromStdString(device.title.empty() ? device.id : device.title),
                   device.available ? QStringLiteral("available") : QString::fromStdString(device.unavailableReason),
                   loadText(device)});
        row->setData(PlaceName, kId, QString::fromStdString(device.id));
        row->setToolTip(PlaceName, QString::fromStdString(device.id));
        row->setToolTip(PlaceState, row->text(PlaceState));
        row->setDisabled(!device.available);
    }
    item->setExpanded(true);
    refresh();
}

void DevicesDialog::showMembers(const std::vector<MemberCounts> &members)
{
    m_members->setCounts(members);
    m_members->setVisible(!members.empty());
}

void DevicesDialog::refresh()
{
    const bool isTesting = !m_testing.isEmpty();
    const QStringList ids = chosenDevices();
    m_add->setEnabled(!isTesting && !m_name->text().trimmed().isEmpty());
    m_test->setText(isTesting ? QStringLiteral("S&top the test") : QStringLiteral("&Test again"));
    m_test->setEnabled(isTesting || chosenPlace());
    m_remove->setEnabled(!isTesting && chosenPlace());
    m_use->setEnabled(!ids.isEmpty());
    m_use->setText(ids.size() > 1 ? QStringLiteral("&Use as a pool") : QStringLiteral("&Use"));
}

} // namespace stagecraft
