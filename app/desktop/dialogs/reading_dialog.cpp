#include "desktop/dialogs/reading_dialog.h"

#include "operators/values/tensor.h"
#include "widgets/base/format.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace stagecraft {
namespace {

// "1 x 3 x ? x ?": what the file states.
QString statedText(const OpenInput &input)
{
    QStringList parts;
    for (std::size_t i = 0; i < input.sizes.size(); ++i)
        parts << (!input.isOpen[i]         ? QString::number(input.sizes[i])
                  : input.names[i].empty() ? QStringLiteral("?")
                                           : QString::fromStdString(input.names[i]));
    return parts.join(QStringLiteral(" x "));
}

struct ChangeByHand {
    std::string words;
    std::function<void(Reading &)> takeBack;
};

std::vector<ChangeByHand> changesByHand(const Reading &reading)
{
    std::vector<ChangeByHand> changes;
    for (const auto &[op, parts] : reading.splits) {
        const char *direction = reading.splitByRows.contains(op) ? " by rows" : "";
        changes.push_back(
            {fmt::format("{} in {}{}", op, plural(parts, "part").toStdString(), direction), [op = op](Reading &back) {
                 back.splits.erase(op);
                 back.splitByRows.erase(op);
             }});
    }
    const auto add = [&](std::set<std::string> Reading::*names, const std::string &before, const std::string &after) {
        for (const std::string &op : reading.*names)
            changes.push_back(
                {fmt::format("{}{}{}", before, op, after), [names, op](Reading &back) { (back.*names).erase(op); }});
    };
    add(&Reading::apart, "", " apart");
    add(&Reading::joinedAfter, "blocks joined after ", "");
    add(&Reading::cutAfter, "block cut after ", "");
    return changes;
}

} // namespace

ReadingDialog::ReadingDialog(const QString &name, const Reading &reading, const ImportReport &report, QWidget *parent)
    : QDialog(parent), m_reading(reading), m_units(new QComboBox(this)), m_passes(new QListWidget(this)),
      m_trouble(new QLabel(this))
{
    setWindowTitle(QStringLiteral("How %1 is read").arg(name));
    auto *form = new QFormLayout(this);
    addSizes(report.openInputs);
    m_units->addItem(QStringLiteral("as in the IOS paper"), QStringLiteral("ios"));
    m_units->addItem(QStringLiteral("by fusion class, as in TVM"), QStringLiteral("tvm"));
    m_units->addItem(QStringLiteral("every operator of the file"), QStringLiteral("none"));
    m_units->setCurrentIndex(m_units->findData(QString::fromUtf8(toString(reading.units))));
    m_units->setAccessibleName(QStringLiteral("Schedule units"));
    form->addRow(QStringLiteral("Schedule &units"), m_units);
    addPasses(reading, report.passes);
    form->addRow(QStringLiteral("&Passes"), m_passes);
    addByHand();
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_trouble->setWordWrap(true);
    form->addRow(m_trouble);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &ReadingDialog::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    if (!m_sizes.empty())
        m_sizes.front().second->setFocus();
}

void ReadingDialog::addSizes(const std::vector<OpenInput> &inputs)
{
    auto *form = static_cast<QFormLayout *>(layout());
    for (const OpenInput &input : inputs) {
        const QString name = QString::fromStdString(input.name);
        auto *sizes = new QLineEdit(QString::fromStdString(toString(Shape{input.sizes})), this);
        sizes->setObjectName(QStringLiteral("sizes of ") + name);
        sizes->setAccessibleName(QStringLiteral("Sizes of the input %1").arg(name));
        sizes->setToolTip(QStringLiteral("The file states %1. Sizes with an x between them, as in 1x3x224x224.")
                              .arg(statedText(input)));
        form->addRow(QStringLiteral("%1 (%2)").arg(name, statedText(input)), sizes);
        m_sizes.emplace_back(input.name, sizes);
    }
}

// A pass that is not for these units has no effect, and is listed all the same: the units may change.
void ReadingDialog::addPasses(const Reading &reading, const std::vector<PassReport> &reports)
{
    m_passes->setAccessibleName(QStringLiteral("Passes"));
    for (const Pass &pass : passes()) {
        const auto report = std::ranges::find(reports, pass.name, &PassReport::pass);
        const QString name = QString::fromUtf8(pass.name);
        const QString count = report != reports.end()
                                  ? plural(static_cast<std::int64_t>(report->changes.size()), "operator")
                                  : QStringLiteral("did not run");
        auto *item = new QListWidgetItem(reports.empty() ? name : QStringLiteral("%1: %2").arg(name, count), m_passes);
        item->setData(Qt::UserRole, name);
        item->setToolTip(QString::fromUtf8(pass.what));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(reading.without.contains(std::string(pass.name)) ? Qt::Unchecked : Qt::Checked);
    }
}

void ReadingDialog::addByHand()
{
    const auto changes = changesByHand(m_reading);
    if (changes.empty())
        return;
    m_byHand = new QListWidget(this);
    m_byHand->setObjectName(QStringLiteral("by hand"));
    m_byHand->setAccessibleName(QStringLiteral("Changes by hand"));
    m_byHand->setMaximumHeight(m_byHand->sizeHint().height() / 2);
    for (const ChangeByHand &change : changes) {
        auto *item = new QListWidgetItem(QString::fromStdString(change.words), m_byHand);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
    }
    static_cast<QFormLayout *>(layout())->addRow(QStringLiteral("By &hand"), m_byHand);
}

void ReadingDialog::take()
{
    Reading reading = m_reading;
    reading.without.clear();
    const auto changes = changesByHand(m_reading);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (m_byHand->item(static_cast<int>(i))->checkState() == Qt::Unchecked)
            changes[i].takeBack(reading);
    }
    for (const auto &[input, field] : m_sizes) {
        const auto sizes = sizesFromText(field->text().trimmed().toStdString());
        if (!sizes) {
            m_trouble->setText(QStringLiteral("%1 are no sizes. Write them as in 1x3x224x224.").arg(field->text()));
            field->setFocus();
            return;
        }
        reading.sizes[input] = *sizes;
    }
    reading.units = unitsFromString(m_units->currentData().toString().toStdString()).value_or(Units::Ios);
    for (int row = 0; row < m_passes->count(); ++row) {
        if (m_passes->item(row)->checkState() == Qt::Unchecked)
            reading.without.insert(m_passes->item(row)->data(Qt::UserRole).toString().toStdString());
    }
    emit wanted(reading);
    accept();
}

} // namespace stagecraft
