#include "widgets/shelf/shelf_view.h"

#include "widgets/shelf/shelf_badge.h"
#include "widgets/shelf/shelf_delegate.h"
#include "widgets/shelf/shelf_list.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace stagecraft {

class ShelfView::Private {
public:
    explicit Private(const Shelf &ofShelf) : shelf(ofShelf) {}

    const Shelf &shelf;
    ShelfContext context;
    QLineEdit *filter = nullptr;
    QComboBox *order = nullptr;
    ShelfList *list = nullptr;
    QLabel *hint = nullptr;
    QPushButton *action = nullptr;
    QStackedLayout *stack = nullptr;
    QLineEdit *note = nullptr;
    ShelfDelegate *delegate = nullptr;
    QToolButton *unfold = nullptr;
    ResultId noted;

    // Null: it is not on the shelf.
    [[nodiscard]] const ShelfRowGroup *groupOf(ResultId id) const
    {
        const ScheduleResult *result = shelf.find(id);
        return result ? list->groupOf(result->settings) : nullptr;
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
        const ResultId shownBefore = lastShown;
        list->setGroups(shelfRows(shelf, context, which, filter->text()));
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
            list->scrollTo(list->indexOf(running));
    }

    // Keys and menus apply to the shown result unless the user selects another.
    void select(ResultId id)
    {
        if (const ShelfRowGroup *group = groupOf(id))
            list->setFolded(*group, false);
        const QModelIndex index = list->indexOf(id);
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
        stack->setCurrentIndex(list->groups().empty() ? 1 : 0);
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
    d.list = new ShelfList(this);
    d.list->setToolTips([this](ResultId id) {
        return m_private->shelf.find(id) ? shelfToolTip(m_private->shelf, id, m_private->context) : QString();
    });
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
        if (!m_private->list->isFilling())
            emit selectionChanged();
    });
    connect(d.list, &QListView::activated, this, [this](const QModelIndex &index) {
        if (ShelfList::isResult(index))
            emit showRequested(ShelfList::rowAt(index).id);
        else if (const ShelfRowGroup *group = m_private->list->groupAt(index))
            m_private->list->setFolded(*group, !m_private->list->isFolded(*group));
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
    const QModelIndex index = d.list->indexOf(id);
    if (!index.isValid() || !d.shelf.find(id))
        return;
    ShelfRow row = shelfRow(d.shelf, id, d.context);
    row.share = ShelfList::rowAt(index).share;
    d.list->setRow(row);
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
        if (ShelfList::isResult(index))
            ids.push_back(ShelfList::rowAt(index).id);
    }
    return ids;
}

ResultId ShelfView::chosen() const
{
    const QModelIndex current = m_private->list->currentIndex();
    if (ShelfList::isResult(current) && m_private->list->selectionModel()->isSelected(current))
        return ShelfList::rowAt(current).id;
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
    const QModelIndex index = m_private->list->indexOf(chosen());
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
        m_private->list->setFolded(*group, folded);
}

bool ShelfView::isGroupFolded(ResultId id) const
{
    const ShelfRowGroup *group = m_private->groupOf(id);
    return group && m_private->list->isFolded(*group);
}

QRect ShelfView::groupRect(ResultId id) const
{
    const ShelfRowGroup *group = m_private->groupOf(id);
    return group ? m_private->list->visualRect(m_private->list->titleOf(*group)) : QRect();
}

std::vector<ShelfRowGroup> ShelfView::rows() const
{
    std::vector<ShelfRowGroup> listed = m_private->list->groups();
    for (ShelfRowGroup &group : listed) {
        if (m_private->list->isFolded(group))
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
    const QModelIndex index = m_private->list->indexOf(id);
    return index.isValid() ? m_private->list->visualRect(index) : QRect();
}

QRect ShelfView::chipRect(ResultId id) const
{
    const QModelIndex index = isFolded() ? QModelIndex() : m_private->list->indexOf(id);
    return index.isValid() ? ShelfDelegate::chipRect(ShelfList::rowAt(index), m_private->list->optionAt(index))
                           : QRect();
}

QRect ShelfView::besideRect(ResultId id) const
{
    const QModelIndex index = isFolded() ? QModelIndex() : m_private->list->indexOf(id);
    return index.isValid() ? ShelfDelegate::besideRect(ShelfList::rowAt(index), m_private->list->optionAt(index))
                           : QRect();
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
        const ShelfRowGroup *group = d.list->groupAt(d.list->currentIndex());
        if (group && (key == Qt::Key_Left || key == Qt::Key_Right)) {
            d.list->setFolded(*group, key == Qt::Key_Left);
            return true;
        }
    }
    if (watched == d.list->viewport() && event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const QModelIndex index = d.list->indexAt(mouse->pos());
        const bool plain = mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::NoModifier;
        if (plain && index.isValid() && !ShelfList::isResult(index)) {
            const ShelfRowGroup *group = d.list->groupAt(index);
            d.list->setFolded(*group, !d.list->isFolded(*group));
        } else if (plain && ShelfList::isResult(index)) {
            const ResultId id = ShelfList::rowAt(index).id;
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
