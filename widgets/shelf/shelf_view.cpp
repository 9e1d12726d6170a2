// Over 500 lines: one widget: its list with filter, order, folding, chips and keys. Rows, badges and their painting
// have files of their own.

#include "widgets/shelf/shelf_view.h"

#include "widgets/base/format.h"
#include "widgets/shelf/shelf_badge.h"
#include "widgets/shelf/shelf_delegate.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedLayout>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <utility>

namespace stagecraft {
namespace {

// Gives access to the place and options of its items.
class ResultList : public QListView {
public:
    using QListView::QListView;

    [[nodiscard]] QStyleOptionViewItem optionAt(const QModelIndex &index) const
    {
        QStyleOptionViewItem option;
        initViewItemOption(&option);
        option.rect = visualRect(index);
        return option;
    }
    [[nodiscard]] bool isEditing() const { return state() == EditingState; }
};

// Makes long tool tips only when they are shown.
class ResultModel : public QStandardItemModel {
public:
    using QStandardItemModel::QStandardItemModel;

    std::function<QString(ResultId id)> toolTip;

    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override
    {
        const QVariant row = role == Qt::ToolTipRole ? QStandardItemModel::data(index, kShelfRowRole) : QVariant();
        return row.isValid() ? QVariant(toolTip(row.value<ShelfRow>().id)) : QStandardItemModel::data(index, role);
    }
};

ShelfRow resultRow(const QModelIndex &index)
{
    return index.data(kShelfRowRole).value<ShelfRow>();
}

bool isResult(const QModelIndex &index)
{
    return index.isValid() && index.data(kShelfRowRole).isValid();
}

void fill(QStandardItem *item, const ShelfRow &row)
{
    item->setData(QVariant::fromValue(row), kShelfRowRole);
    item->setText(row.name);
    item->setAccessibleText(row.spoken);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable);
}

void fill(QStandardItem *item, const ShelfRowGroup &group, bool isFolded)
{
    const QString folded =
        isFolded ? plural(static_cast<std::int64_t>(group.rows.size()), "result") + QStringLiteral(", folded")
                 : QString();
    const QString second = isFolded ? group.device + QStringLiteral(" · ") + folded : group.device;
    item->setText(group.title);
    item->setToolTip(group.title + QLatin1Char('\n') + second);
    item->setAccessibleText(group.title + QStringLiteral(", ") + group.device +
                            (isFolded ? QStringLiteral(", ") + folded : QString()));
    item->setData(group.fits, kShelfFitsRole);
    item->setData(second, kShelfDeviceRole);
    item->setData(isFolded, kShelfFoldedRole);
    item->setFlags(isFolded ? Qt::ItemIsEnabled : Qt::NoItemFlags); // keys go to it only to unfold it
}

} // namespace

class ShelfView::Private {
public:
    explicit Private(const Shelf &ofShelf) : shelf(ofShelf) {}

    const Shelf &shelf;
    ShelfContext context;
    std::vector<ShelfRowGroup> groups;
    QLineEdit *filter = nullptr;
    QComboBox *order = nullptr;
    ResultList *list = nullptr;
    ResultModel *model = nullptr;
    QLabel *hint = nullptr;
    QPushButton *action = nullptr;
    QStackedLayout *stack = nullptr;
    QLineEdit *note = nullptr;
    ShelfDelegate *delegate = nullptr;
    QToolButton *unfold = nullptr;
    ResultId noted;
    bool filling = false;
    std::vector<RunContext> foldedGroups;

    [[nodiscard]] bool isFolded(const ShelfRowGroup &group) const
    {
        return std::ranges::find(foldedGroups, group.settings) != foldedGroups.end();
    }

    [[nodiscard]] const ShelfRowGroup *groupOf(ResultId id) const
    {
        const ScheduleResult *result = shelf.find(id);
        const auto group = std::ranges::find_if(
            groups, [&](const ShelfRowGroup &each) { return result && each.settings == result->settings; });
        return group != groups.end() ? &*group : nullptr;
    }

    // Of a title or a row; null for neither.
    [[nodiscard]] const ShelfRowGroup *groupAt(const QModelIndex &index) const
    {
        int titles = -1;
        for (int row = 0; index.isValid() && row <= index.row(); ++row)
            titles += isResult(model->index(row, 0)) ? 0 : 1;
        return titles >= 0 ? &groups[static_cast<std::size_t>(titles)] : nullptr;
    }

    [[nodiscard]] QModelIndex titleOf(const ShelfRowGroup &group) const
    {
        for (int row = 0; row < model->rowCount(); ++row) {
            const QModelIndex index = model->index(row, 0);
            if (!isResult(index) && groupAt(index) == &group)
                return index;
        }
        return {};
    }

    void setFolded(const ShelfRowGroup &of, bool folded)
    {
        if (folded == isFolded(of) || list->isEditing())
            return;
        const RunContext settings = of.settings;
        if (folded)
            foldedGroups.push_back(settings);
        else
            std::erase(foldedGroups, settings);
        filling = true;
        fillAnew();
        filling = false;
        const QModelIndex title = titleOf(*std::ranges::find(groups, settings, &ShelfRowGroup::settings));
        if (!list->currentIndex().isValid())
            list->selectionModel()->setCurrentIndex(title, QItemSelectionModel::NoUpdate);
    }

    [[nodiscard]] QModelIndex indexOf(ResultId id) const
    {
        for (int row = 0; row < model->rowCount(); ++row) {
            const QModelIndex index = model->index(row, 0);
            if (isResult(index) && resultRow(index).id == id)
                return index;
        }
        return {};
    }

    // True if the same results are in the same places: values change, but nothing moves and no editing is lost.
    [[nodiscard]] bool hasSamePlaces(const std::vector<ShelfRowGroup> &next) const
    {
        const auto sameIds = [](const ShelfRowGroup &one, const ShelfRowGroup &other) {
            return one.rows.size() == other.rows.size() &&
                   std::ranges::equal(one.rows, other.rows, {}, &ShelfRow::id, &ShelfRow::id);
        };
        return groups.size() == next.size() && std::ranges::equal(groups, next, sameIds);
    }

    void fillAnew()
    {
        std::vector<ResultId> selected;
        for (const QModelIndex &index : list->selectionModel()->selectedIndexes())
            selected.push_back(resultRow(index).id);
        const ResultId current = isResult(list->currentIndex()) ? resultRow(list->currentIndex()).id : ResultId();
        const int scrolled = list->verticalScrollBar()->value();
        model->clear();
        for (const ShelfRowGroup &group : groups) {
            auto *title = new QStandardItem;
            fill(title, group, isFolded(group));
            model->appendRow(title);
            if (isFolded(group))
                continue;
            for (const ShelfRow &row : group.rows) {
                auto *item = new QStandardItem;
                fill(item, row);
                model->appendRow(item);
            }
        }
        if (const QModelIndex index = indexOf(current); index.isValid())
            list->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        for (const ResultId id : selected) {
            if (const QModelIndex index = indexOf(id); index.isValid())
                list->selectionModel()->select(index, QItemSelectionModel::Select);
        }
        list->doItemsLayout(); // the range of the scroll bar is known
        list->verticalScrollBar()->setValue(scrolled);
    }

    void fillInPlace()
    {
        int at = 0;
        for (const ShelfRowGroup &group : groups) {
            fill(model->item(at++), group, isFolded(group));
            if (isFolded(group))
                continue;
            for (const ShelfRow &row : group.rows) {
                QStandardItem *item = model->item(at++);
                if (item->data(kShelfRowRole).value<ShelfRow>() != row)
                    fill(item, row);
            }
        }
    }

    // The list is not rebuilt while the user is typing in it.
    void refresh()
    {
        if (list->isEditing()) {
            isBehind = true;
            return;
        }
        isBehind = false;
        const auto which = static_cast<ShelfOrder>(order->currentData().toInt());
        std::vector<ShelfRowGroup> next = shelfRows(shelf, context, which, filter->text());
        const bool same = hasSamePlaces(next);
        groups = std::move(next);
        filling = true;
        const ResultId shownBefore = lastShown;
        if (same)
            fillInPlace();
        else
            fillAnew();
        filling = false;
        lastShown = context.shown;
        if (lastShown != shownBefore)
            select(lastShown);
        bringRunningIntoView();
        showHint();
    }

    // A result that is now being made or measured, unless the mouse is at work in the list.
    void bringRunningIntoView()
    {
        ResultId running;
        for (const ScheduleResult &result : shelf.results()) {
            if (result.state == ResultState::Running)
                running = result.id;
        }
        if (running != std::exchange(lastRunning, running) && running.isValid() && !list->underMouse())
            list->scrollTo(indexOf(running));
    }

    // Keys and menus apply to the shown result unless the user selects another.
    void select(ResultId id)
    {
        if (const ShelfRowGroup *group = groupOf(id))
            setFolded(*group, false);
        const QModelIndex index = indexOf(id);
        if (!index.isValid())
            return;
        list->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect);
        list->scrollTo(index);
    }

    void showHint() const
    {
        const bool filtered = !shelf.results().empty();
        hint->setText(filtered ? QStringLiteral("No result has these words.")
                               : QStringLiteral("Every schedule that is searched, measured or opened stays here."));
        action->setText(filtered ? QStringLiteral("Clear the filter") : QStringLiteral("Open a model..."));
        stack->setCurrentIndex(groups.empty() ? 1 : 0);
        filter->setEnabled(filtered);
        order->setEnabled(filtered);
    }

    ResultId lastShown;
    ResultId lastRunning;
    bool isBehind = false;
};

ShelfView::ShelfView(const Shelf &shelf, QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(shelf))
{
    Private &d = *m_private;
    d.filter = new QLineEdit(this);
    d.filter->setPlaceholderText(QStringLiteral("Filter"));
    d.filter->setClearButtonEnabled(true);
    d.filter->setAccessibleName(QStringLiteral("Filter the shelf"));
    d.filter->setToolTip(QStringLiteral("Words of a name, a note, what made it, a model or a device"));
    d.order = new QComboBox(this);
    for (const auto &[text, order] : {std::pair{QStringLiteral("as made"), ShelfOrder::AsMade},
                                      {QStringLiteral("newest"), ShelfOrder::Newest},
                                      {QStringLiteral("fastest"), ShelfOrder::Fastest},
                                      {QStringLiteral("by name"), ShelfOrder::Name}})
        d.order->addItem(text, static_cast<int>(order));
    d.order->setAccessibleName(QStringLiteral("Order of the shelf"));
    d.order->setToolTip(QStringLiteral("Order of results; pinned ones come first"));
    d.model = new ResultModel(this);
    d.model->toolTip = [this](ResultId id) {
        return m_private->shelf.find(id) ? shelfToolTip(m_private->shelf, id, m_private->context) : QString();
    };
    d.list = new ResultList(this);
    d.list->setModel(d.model);
    d.delegate = new ShelfDelegate(this);
    d.list->setItemDelegate(d.delegate);
    d.list->setFrameShape(QFrame::NoFrame);
    d.list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    d.list->setEditTriggers(QAbstractItemView::DoubleClicked);
    d.list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    d.list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    d.list->setResizeMode(QListView::Adjust);
    d.list->setMouseTracking(true);
    d.list->setAccessibleName(QStringLiteral("Shelf of results"));
    d.list->installEventFilter(this);
    d.list->viewport()->installEventFilter(this);
    d.hint = new QLabel(this);
    d.hint->setObjectName(QStringLiteral("hint"));
    d.hint->setWordWrap(true);
    d.hint->setAlignment(Qt::AlignCenter);
    d.action = new QPushButton(this);
    d.note = new QLineEdit(this);
    d.note->setAccessibleName(QStringLiteral("Note on the result"));
    d.note->hide();
    d.note->installEventFilter(this);

    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 8, 4);
    head->setSpacing(6);
    d.unfold = new QToolButton(this);
    d.unfold->setAutoRaise(true);
    d.unfold->setText(QStringLiteral("\u00bb"));
    d.unfold->setToolTip(QStringLiteral("Unfold the shelf: names, facts, filter and order (Ctrl+Alt+B)"));
    d.unfold->setAccessibleName(QStringLiteral("Unfold the shelf"));
    d.unfold->hide();
    head->addWidget(d.unfold);
    head->addWidget(d.filter, 1);
    head->addWidget(d.order);
    auto *empty = new QWidget(this);
    auto *middle = new QVBoxLayout(empty);
    middle->addStretch();
    middle->addWidget(d.hint);
    middle->addWidget(d.action, 0, Qt::AlignHCenter);
    middle->addStretch();
    d.stack = new QStackedLayout;
    d.stack->addWidget(d.list);
    d.stack->addWidget(empty);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addLayout(d.stack, 1);
    column->addWidget(d.note);
    d.showHint();

    connect(d.unfold, &QToolButton::clicked, this, &ShelfView::unfoldRequested);
    connect(d.filter, &QLineEdit::textChanged, this, [this] { m_private->refresh(); });
    connect(d.order, &QComboBox::currentIndexChanged, this, [this] { m_private->refresh(); });
    connect(d.action, &QPushButton::clicked, this, [this] {
        if (m_private->shelf.results().empty())
            emit openRequested();
        else
            m_private->filter->clear();
    });
    connect(d.delegate, &ShelfDelegate::renamed, this, &ShelfView::renameRequested);
    connect(
        d.delegate, &QAbstractItemDelegate::closeEditor, this,
        [this] {
            if (m_private->isBehind)
                m_private->refresh();
        },
        Qt::QueuedConnection);
    connect(d.list->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_private->filling)
            emit selectionChanged();
    });
    connect(d.list, &QListView::activated, this, [this](const QModelIndex &index) {
        if (isResult(index))
            emit showRequested(resultRow(index).id);
        else if (const ShelfRowGroup *group = m_private->groupAt(index))
            m_private->setFolded(*group, !m_private->isFolded(*group));
    });
    connect(d.note, &QLineEdit::returnPressed, this, [this] {
        emit noteRequested(m_private->noted, m_private->note->text());
        m_private->note->hide();
        m_private->list->setFocus();
    });
}

ShelfView::~ShelfView() = default;

void ShelfView::refresh(const ShelfContext &context)
{
    const ShelfContext before = std::exchange(m_private->context, context);
    m_private->context.running = before.running;
    m_private->context.timeLeft = before.timeLeft;
    m_private->refresh();
    if (m_private->note->isVisible() && !m_private->shelf.find(m_private->noted))
        m_private->note->hide();
}

void ShelfView::refreshRow(ResultId id)
{
    Private &d = *m_private;
    const QModelIndex index = d.indexOf(id);
    if (!index.isValid() || !d.shelf.find(id))
        return;
    ShelfRow row = shelfRow(d.shelf, id, d.context);
    row.share = resultRow(index).share;
    fill(d.model->itemFromIndex(index), row);
    for (ShelfRowGroup &group : d.groups)
        std::ranges::replace_if(
            group.rows, [&](const ShelfRow &before) { return before.id == id; }, row);
}

void ShelfView::showTimeLeft(ResultId id, const QString &text)
{
    m_private->context.running = id;
    m_private->context.timeLeft = text;
    refreshRow(id);
}

void ShelfView::showWaits(const std::map<ResultId, QString> &texts)
{
    std::map<ResultId, QString> before = std::exchange(m_private->context.waits, texts);
    before.insert(texts.begin(), texts.end());
    for (const auto &[id, text] : before)
        refreshRow(id);
}

std::vector<ResultId> ShelfView::selected() const
{
    QModelIndexList indexes = m_private->list->selectionModel()->selectedIndexes();
    std::ranges::sort(indexes, {}, &QModelIndex::row);
    std::vector<ResultId> ids;
    for (const QModelIndex &index : indexes) {
        if (isResult(index))
            ids.push_back(resultRow(index).id);
    }
    return ids;
}

ResultId ShelfView::chosen() const
{
    const QModelIndex current = m_private->list->currentIndex();
    if (isResult(current) && m_private->list->selectionModel()->isSelected(current))
        return resultRow(current).id;
    const std::vector<ResultId> ids = selected();
    return ids.empty() ? ResultId() : ids.front();
}

void ShelfView::choose(ResultId id)
{
    m_private->select(id);
}

void ShelfView::setFolded(bool folded)
{
    Private &d = *m_private;
    if (folded == isFolded())
        return;
    d.delegate->setFolded(folded);
    d.unfold->setVisible(folded);
    for (QWidget *wide : std::initializer_list<QWidget *>{d.filter, d.order, d.hint, d.action})
        wide->setVisible(!folded);
    if (folded)
        d.note->hide();
    setMinimumWidth(folded ? kFoldedShelfWidth : 0);
    setMaximumWidth(folded ? kFoldedShelfWidth : QWIDGETSIZE_MAX);
    d.list->setVerticalScrollBarPolicy(folded ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    d.list->doItemsLayout(); // rows have another height
    if (const QModelIndex current = d.list->currentIndex(); current.isValid())
        d.list->scrollTo(current);
}

bool ShelfView::isFolded() const
{
    return m_private->delegate->isFolded();
}

QToolButton *ShelfView::unfoldButton() const
{
    return m_private->unfold;
}

void ShelfView::startRename()
{
    if (isFolded())
        emit unfoldRequested();
    const QModelIndex index = m_private->indexOf(chosen());
    if (!index.isValid())
        return;
    m_private->list->setCurrentIndex(index);
    m_private->list->edit(index);
}

void ShelfView::startNote()
{
    Private &d = *m_private;
    const ScheduleResult *result = d.shelf.find(chosen());
    if (!result)
        return;
    if (isFolded())
        emit unfoldRequested();
    d.noted = result->id;
    d.note->setPlaceholderText(
        QStringLiteral("Note on %1, then Enter").arg(QString::fromStdString(result->shownName())));
    d.note->setText(QString::fromStdString(result->note));
    d.note->show();
    d.note->setFocus();
    d.note->selectAll();
}

void ShelfView::focusFilter()
{
    if (isFolded())
        emit unfoldRequested();
    m_private->filter->setFocus();
    m_private->filter->selectAll();
}

void ShelfView::setGroupFolded(ResultId id, bool folded)
{
    if (const ShelfRowGroup *group = m_private->groupOf(id))
        m_private->setFolded(*group, folded);
}

bool ShelfView::isGroupFolded(ResultId id) const
{
    const ShelfRowGroup *group = m_private->groupOf(id);
    return group && m_private->isFolded(*group);
}

QRect ShelfView::groupRect(ResultId id) const
{
    const ShelfRowGroup *group = m_private->groupOf(id);
    return group ? m_private->list->visualRect(m_private->titleOf(*group)) : QRect();
}

std::vector<ShelfRowGroup> ShelfView::rows() const
{
    std::vector<ShelfRowGroup> listed = m_private->groups;
    for (ShelfRowGroup &group : listed) {
        if (m_private->isFolded(group))
            group.rows.clear();
    }
    return listed;
}

std::vector<ShelfRowGroup> ShelfView::allRows() const
{
    const auto order = static_cast<ShelfOrder>(m_private->order->currentData().toInt());
    return shelfRows(m_private->shelf, m_private->context, order, {});
}

QAbstractItemView *ShelfView::list() const
{
    return m_private->list;
}

QRect ShelfView::rowRect(ResultId id) const
{
    const QModelIndex index = m_private->indexOf(id);
    return index.isValid() ? m_private->list->visualRect(index) : QRect();
}

QRect ShelfView::chipRect(ResultId id) const
{
    const QModelIndex index = isFolded() ? QModelIndex() : m_private->indexOf(id);
    return index.isValid() ? ShelfDelegate::chipRect(resultRow(index), m_private->list->optionAt(index)) : QRect();
}

QRect ShelfView::besideRect(ResultId id) const
{
    const QModelIndex index = isFolded() ? QModelIndex() : m_private->indexOf(id);
    return index.isValid() ? ShelfDelegate::besideRect(resultRow(index), m_private->list->optionAt(index)) : QRect();
}

QSize ShelfView::sizeHint() const
{
    return {260, 420};
}

bool ShelfView::eventFilter(QObject *watched, QEvent *event)
{
    Private &d = *m_private;
    if (watched == d.note && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        d.note->hide();
        d.list->setFocus();
        return true;
    }
    if (watched == d.list->viewport() && event->type() == QEvent::ContextMenu) {
        const auto *menu = static_cast<QContextMenuEvent *>(event);
        emit menuRequested(menu->globalPos());
        return true;
    }
    if (watched == d.list && event->type() == QEvent::ContextMenu) { // the menu key
        emit menuRequested(d.list->viewport()->mapToGlobal(rowRect(chosen()).center()));
        return true;
    }
    if (watched == d.list && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        const ShelfRowGroup *group = d.groupAt(d.list->currentIndex());
        if (group && (key == Qt::Key_Left || key == Qt::Key_Right)) {
            d.setFolded(*group, key == Qt::Key_Left);
            return true;
        }
    }
    if (watched == d.list->viewport() && event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const QModelIndex index = d.list->indexAt(mouse->pos());
        const bool plain = mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier;
        if (plain && index.isValid() && !isResult(index)) {
            const ShelfRowGroup *group = d.groupAt(index);
            d.setFolded(*group, !d.isFolded(*group));
        } else if (plain && isResult(index)) {
            const ResultId id = resultRow(index).id;
            if (chipRect(id).contains(mouse->pos()))
                emit measureAgainRequested(id);
            else if (besideRect(id).contains(mouse->pos()))
                emit besideRequested(id);
            else
                emit showRequested(id);
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace stagecraft
