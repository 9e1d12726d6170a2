#include "widgets/base/find_bar.h"

#include "widgets/base/format.h"

#include <QAbstractListModel>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kMostRows = 8; // of the list, in sight
constexpr int kWidth = 340;

} // namespace

class FindHits : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void set(int count, std::function<QString(int)> textOf)
    {
        beginResetModel();
        m_count = count;
        m_textOf = std::move(textOf);
        endResetModel();
    }

    [[nodiscard]] int rowCount(const QModelIndex &parent) const override { return parent.isValid() ? 0 : m_count; }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override
    {
        const bool isText = role == Qt::DisplayRole || role == Qt::ToolTipRole || role == Qt::AccessibleTextRole;
        return isText && index.isValid() ? QVariant(m_textOf(index.row())) : QVariant();
    }

private:
    int m_count = 0;
    std::function<QString(int)> m_textOf;
};

FindBar::FindBar(const QString &placeholder, QWidget *parent)
    : OverlayPanel(parent), m_line(new QLineEdit(this)), m_count(new QLabel(this)),
      m_previous(button(QStringLiteral("▲"), QStringLiteral("Previous match"))),
      m_next(button(QStringLiteral("▼"), QStringLiteral("Next match"))), m_trouble(new QLabel(this)),
      m_found(new FindHits(this)), m_hits(new QListView(this))
{
    auto *close = button(QStringLiteral("✕"), QStringLiteral("Close"));
    m_line->setPlaceholderText(placeholder);
    m_line->setAccessibleName(placeholder);
    m_line->setToolTip(placeholder); // it may be longer than the line
    m_line->setClearButtonEnabled(true);
    m_line->setMinimumWidth(110);
    m_line->installEventFilter(this);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("99 of 999")));
    m_count->setAlignment(Qt::AlignCenter);
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_trouble->setTextFormat(Qt::PlainText);
    m_trouble->setWordWrap(true);
    m_trouble->setContentsMargins(2, 0, 2, 2);
    m_hits->setModel(m_found);
    m_hits->setUniformItemSizes(true);
    m_hits->setTextElideMode(Qt::ElideMiddle);
    m_hits->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_hits->setFrameShape(QFrame::NoFrame);
    m_hits->setAccessibleName(QStringLiteral("Matches"));

    auto *head = new QHBoxLayout;
    head->setSpacing(4);
    head->addWidget(m_line, 1);
    for (QWidget *widget : {static_cast<QWidget *>(m_count), static_cast<QWidget *>(m_previous),
                            static_cast<QWidget *>(m_next), static_cast<QWidget *>(close)})
        head->addWidget(widget);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 6, 6);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(m_trouble);
    layout->addWidget(m_hits);
    connect(m_line, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_next, &QToolButton::clicked, this, &FindBar::nextRequested);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previousRequested);
    connect(close, &QToolButton::clicked, this, &FindBar::closed);
    for (const auto chosen : {&QListView::clicked, &QListView::activated})
        connect(m_hits, chosen, this, [this](const QModelIndex &index) { emit hitChosen(index.row()); });
    showHits(0, {});
    showMatches(-1, 0);
    hide();
}

QToolButton *FindBar::button(const QString &text, const QString &name)
{
    auto *result = new QToolButton(this);
    result->setText(text);
    result->setToolTip(name);
    result->setAccessibleName(name);
    result->setAutoRaise(true);
    return result;
}

void FindBar::open()
{
    show();
    raise();
    m_line->setFocus(Qt::ShortcutFocusReason);
    m_line->selectAll();
}

void FindBar::setText(const QString &text)
{
    const QSignalBlocker blocker(m_line);
    if (m_line->text() != text)
        m_line->setText(text);
}

void FindBar::showTrouble(const QString &trouble)
{
    showMatches(-1, 0);
    m_count->clear();
    m_trouble->setText(trouble);
    m_trouble->show();
}

void FindBar::showHits(int count, std::function<QString(int)> textOf)
{
    m_found->set(count, std::move(textOf));
    m_hits->setVisible(count > 0);
}

// The list has the rows that fit, and none where there is no room for two.
void FindBar::fit(int width, int height)
{
    resize(std::max(std::min(width, kWidth), layout()->minimumSize().width()), 0);
    const int rows = m_found->rowCount({});
    const int row = rows > 0 ? std::max(1, m_hits->sizeHintForRow(0)) : 1;
    m_hits->hide();
    layout()->activate();
    const int head = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(this->width())
                                                   : layout()->totalSizeHint().height();
    const int fitting = std::min({rows, kMostRows, (height - head - layout()->spacing()) / row});
    if (fitting >= std::min(rows, 2) && rows > 0) {
        m_hits->setFixedHeight(fitting * row);
        m_hits->show();
    }
    resize(this->width(), head + (m_hits->isHidden() ? 0 : m_hits->height() + layout()->spacing()));
}

QString FindBar::countText() const
{
    return m_count->text();
}

QString FindBar::troubleText() const
{
    return m_trouble->isHidden() ? QString() : m_trouble->text();
}

void FindBar::showMatches(int current, int count)
{
    m_trouble->hide();
    m_hits->setCurrentIndex(m_found->index(current, 0));
    m_previous->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
    if (m_line->text().trimmed().isEmpty())
        m_count->setText(QString());
    else if (count == 0)
        m_count->setText(QStringLiteral("no match"));
    else
        m_count->setText(QStringLiteral("%1 of %2").arg(current + 1).arg(count));
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        const bool back = key->modifiers() & Qt::ShiftModifier;
        switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter: emit(back ? previousRequested() : nextRequested()); return true;
        case Qt::Key_Down: emit nextRequested(); return true;
        case Qt::Key_Up: emit previousRequested(); return true;
        case Qt::Key_Escape: emit closed(); return true;
        default: break;
        }
    }
    return OverlayPanel::eventFilter(watched, event);
}

} // namespace stagecraft
