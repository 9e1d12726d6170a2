#include "desktop/dialogs/keys_dialog.h"

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/frame/actions.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

enum Column { Entry, Menu, Keys, Count };

QString patterns()
{
    return QStringLiteral("Keys (*.json);;All files (*)");
}

QString shown(const QKeySequence &keys)
{
    return keys.toString(QKeySequence::NativeText);
}

} // namespace

KeysDialog::KeysDialog(const Actions &actions, const QMenuBar &bar, QWidget *parent)
    : QDialog(parent), m_rows(rowsOf(actions, bar)), m_filter(new QLineEdit(this)), m_table(new QTreeWidget(this)),
      m_keys(new QKeySequenceEdit(this)), m_reset(new QPushButton(QStringLiteral("Re&set"), this)),
      m_trouble(new QLabel(this))
{
    setWindowTitle(QStringLiteral("Change keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(640, 560);
    m_filter->setPlaceholderText(QStringLiteral("Words of the entry, its menu or its keys"));
    m_filter->setAccessibleName(QStringLiteral("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_table->setAccessibleName(QStringLiteral("Entries of menus and their keys"));
    m_table->setColumnCount(Count);
    m_table->setHeaderLabels({QStringLiteral("Entry"), QStringLiteral("Menu"), QStringLiteral("Keys")});
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->header()->setSectionResizeMode(Entry, QHeaderView::Stretch);
    m_table->header()->setSectionResizeMode(Menu, QHeaderView::ResizeToContents);
    m_table->header()->setSectionResizeMode(Keys, QHeaderView::ResizeToContents);
    m_table->header()->setStretchLastSection(false);
    for (const Row &row : m_rows)
        new QTreeWidgetItem(m_table, {row.entry.text, row.entry.path, QString()});
    m_keys->setAccessibleName(QStringLiteral("New keys of the entry"));
    m_keys->setClearButtonEnabled(true);
    m_keys->setToolTip(QStringLiteral("Press the keys; without any the entry has none"));
    m_reset->setToolTip(QStringLiteral("The keys that the entry came with"));
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_trouble->setWordWrap(true);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *resetAll = buttons->addButton(QStringLiteral("Reset &all"), QDialogButtonBox::ResetRole);
    auto *read = buttons->addButton(QStringLiteral("&Import..."), QDialogButtonBox::ActionRole);
    auto *write = buttons->addButton(QStringLiteral("E&xport..."), QDialogButtonBox::ActionRole);
    auto *label = new QLabel(QStringLiteral("&New keys"), this);
    label->setBuddy(m_keys);
    auto *line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_keys, 1);
    line->addWidget(m_reset);
    auto *column = new QVBoxLayout(this);
    column->addWidget(m_filter);
    column->addWidget(m_table, 1);
    column->addLayout(line);
    column->addWidget(m_trouble);
    column->addWidget(buttons);

    connect(m_filter, &QLineEdit::textChanged, this, &KeysDialog::showMatches);
    connect(m_table, &QTreeWidget::currentItemChanged, this, &KeysDialog::showChosen);
    connect(m_table, &QTreeWidget::itemActivated, this, [this] { m_keys->setFocus(); });
    connect(m_keys, &QKeySequenceEdit::editingFinished, this, [this] { give(m_keys->keySequence()); });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (chosen() >= 0)
            give(m_rows[static_cast<std::size_t>(chosen())].own);
    });
    connect(resetAll, &QPushButton::clicked, this, [this] { takeAll({}); });
    connect(read, &QPushButton::clicked, this, [this] {
        if (const QString path =
                QFileDialog::getOpenFileName(this, QStringLiteral("Keys from a file"), dialogFolder(), patterns());
            !path.isEmpty())
            readFile(path);
    });
    connect(write, &QPushButton::clicked, this, [this] {
        if (const QString path =
                QFileDialog::getSaveFileName(this, QStringLiteral("Save the keys"),
                                             dialogFolder() + QStringLiteral("/stagecraft-keys.json"), patterns());
            !path.isEmpty())
            writeFile(path);
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(&OwnKeys::ofProgram(), &OwnKeys::changed, this, [this] { show(OwnKeys::ofProgram().all()); });
    show(OwnKeys::ofProgram().all());
    m_table->setCurrentItem(m_table->topLevelItem(0));
    m_filter->setFocus();
}

std::vector<KeysDialog::Row> KeysDialog::rowsOf(const Actions &actions, const QMenuBar &bar) const
{
    std::vector<Row> rows;
    for (MenuEntry &entry : entriesOf(bar)) {
        QString name = actions.nameOf(entry.action);
        if (!name.isEmpty() && std::ranges::find(rows, name, &Row::name) == rows.end()) { // some are in two menus
            const QKeySequence own = actions.ownKeys(name);
            rows.push_back({std::move(entry), std::move(name), own});
        }
    }
    return rows;
}

void KeysDialog::show(const KeysByName &changed)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        QTreeWidgetItem *item = m_table->topLevelItem(static_cast<int>(i));
        const bool isChanged = changed.contains(m_rows[i].name);
        item->setText(Keys, shown(changed.value(m_rows[i].name, m_rows[i].own)));
        item->setToolTip(Keys, isChanged ? QStringLiteral("came with %1").arg(shown(m_rows[i].own)) : QString());
        QFont font = m_table->font();
        font.setBold(isChanged);
        item->setFont(Keys, font);
    }
    showChosen();
}

void KeysDialog::showChosen()
{
    const int row = chosen();
    m_keys->setEnabled(row >= 0);
    m_reset->setEnabled(row >= 0 && OwnKeys::ofProgram().all().contains(m_rows[static_cast<std::size_t>(row)].name));
    m_keys->setKeySequence(row < 0 ? QKeySequence()
                                   : OwnKeys::ofProgram().all().value(m_rows[static_cast<std::size_t>(row)].name,
                                                                      m_rows[static_cast<std::size_t>(row)].own));
    say({});
}

void KeysDialog::showMatches(const QString &words)
{
    const QStringList all = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < m_table->topLevelItemCount(); ++i) {
        QTreeWidgetItem *item = m_table->topLevelItem(i);
        const QString text = QStringList{item->text(Entry), item->text(Menu), item->text(Keys)}.join(QLatin1Char(' '));
        item->setHidden(
            !std::ranges::all_of(all, [&](const QString &word) { return text.contains(word, Qt::CaseInsensitive); }));
    }
}

int KeysDialog::chosen() const
{
    QTreeWidgetItem *item = m_table->currentItem();
    return item ? m_table->indexOfTopLevelItem(item) : -1;
}

const KeysDialog::Row *KeysDialog::holderOf(const QKeySequence &keys, const Row &other) const
{
    const KeysByName changed = OwnKeys::ofProgram().all();
    const auto found = std::ranges::find_if(m_rows, [&](const Row &row) {
        return row.name != other.name && !keys.isEmpty() && changed.value(row.name, row.own) == keys;
    });
    return found == m_rows.end() ? nullptr : &*found;
}

void KeysDialog::give(const QKeySequence &keys)
{
    if (chosen() < 0)
        return;
    const Row &row = m_rows[static_cast<std::size_t>(chosen())];
    KeysByName changed = OwnKeys::ofProgram().all();
    if (changed.value(row.name, row.own) == keys)
        return;
    const QString why = keys == row.own ? QString() : whyNotOfAnEntry(keys);
    const Row *holder = holderOf(keys, row);
    if (!why.isEmpty() || holder) {
        showChosen();
        say(!why.isEmpty() ? why
                           : QStringLiteral("%1 is %2 (%3): give that entry other keys first")
                                 .arg(shown(keys), holder->entry.text, holder->entry.path));
        return;
    }
    if (keys == row.own)
        changed.remove(row.name);
    else
        changed[row.name] = keys;
    OwnKeys::ofProgram().set(changed);
}

void KeysDialog::takeAll(const KeysByName &keys)
{
    KeysByName changed;
    for (const Row &row : m_rows) {
        if (const auto given = keys.find(row.name); given != keys.end() && *given != row.own)
            changed[row.name] = *given;
    }
    OwnKeys::ofProgram().set(changed);
}

void KeysDialog::readFile(const QString &path)
{
    const auto keys = readTextFile(path.toStdString()).and_then(keysFrom);
    if (!keys) {
        say(QStringLiteral("%1: %2").arg(path, QString::fromStdString(errorText(keys.error()))));
        return;
    }
    QMap<QString, QString> holders; // entries by keys
    for (const Row &row : m_rows) {
        const QKeySequence wanted = keys->value(row.name, row.own);
        const QString why = wanted == row.own ? QString() : whyNotOfAnEntry(wanted);
        const QString holder = holders.value(shown(wanted));
        if (!why.isEmpty() || (!wanted.isEmpty() && !holder.isEmpty())) {
            say(QStringLiteral("%1: %2: %3")
                    .arg(path, row.entry.text,
                         why.isEmpty() ? QStringLiteral("%1 is %2, too").arg(shown(wanted), holder) : why));
            return;
        }
        holders[shown(wanted)] = row.entry.text;
    }
    keepDialogFolder(path);
    takeAll(*keys);
    say(QStringLiteral("Read from %1").arg(path));
}

void KeysDialog::writeFile(const QString &path)
{
    KeysByName all;
    const KeysByName changed = OwnKeys::ofProgram().all();
    for (const Row &row : m_rows)
        all[row.name] = changed.value(row.name, row.own);
    const auto written = writeTextFile(path.toStdString(), keysText(all));
    if (written)
        keepDialogFolder(path);
    say(written ? QStringLiteral("Written to %1").arg(path) : QString::fromStdString(errorText(written.error())));
}

void KeysDialog::say(const QString &text)
{
    m_trouble->setText(text);
}

} // namespace stagecraft
