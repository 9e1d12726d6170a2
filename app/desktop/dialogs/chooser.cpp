#include "desktop/dialogs/chooser.h"

#include "widgets/base/format.h"
#include "widgets/base/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kNarrowest = 380;
constexpr int kWidest = 900;
constexpr int kHeight = 300;
constexpr int kBesideText = 12;           // of a row
constexpr std::size_t kMostRows = 200;    // more are found by typing more
constexpr std::size_t kMostMeasured = 50; // rows whose width counts

enum Role { Beside = Qt::UserRole };

// Text at the left, what stands beside it at the right.
class ChoiceRow : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const QString beside = index.data(Beside).toString();
        if (beside.isEmpty())
            return QStyledItemDelegate::paint(painter, option, index);
        QStyleOptionViewItem text = option;
        initStyleOption(&text, index);
        text.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &text, painter, text.widget);
        const int width = text.fontMetrics.horizontalAdvance(beside) + kBesideText;
        QRect right = option.rect;
        right.setLeft(right.right() - width);
        right.setRight(right.right() - kBesideText / 2);
        const bool isSelected = text.state.testFlag(QStyle::State_Selected);
        painter->save();
        painter->setPen(isSelected ? text.palette.color(QPalette::HighlightedText) : themeFor(text.palette).mutedText);
        painter->drawText(right, Qt::AlignRight | Qt::AlignVCenter, beside);
        painter->restore();
        QStyleOptionViewItem left = option;
        left.rect.setRight(right.left() - kBesideText / 2);
        QStyledItemDelegate::paint(painter, left, index);
    }
};

// How well the words fit: 0 begins with the first, 1 a word of it does, 2 has them all. nullopt: it lacks one.
std::optional<std::size_t> fit(const Choice &choice, const QStringList &words)
{
    for (const QString &word : words) {
        if (!choice.text.contains(word, Qt::CaseInsensitive) && !choice.beside.contains(word, Qt::CaseInsensitive))
            return std::nullopt;
    }
    if (words.isEmpty() || choice.text.startsWith(words.front(), Qt::CaseInsensitive))
        return 0;
    const qsizetype at = choice.text.indexOf(words.front(), 0, Qt::CaseInsensitive);
    return at > 0 && !choice.text[at - 1].isLetterOrNumber() ? 1 : 2;
}

} // namespace

Chooser::Chooser(const QString &title, std::vector<Choice> choices, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_choices(std::move(choices)), m_filter(new QLineEdit(this)),
      m_list(new QListWidget(this)), m_more(new QLabel(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(title);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    column->addWidget(new QLabel(title, this));
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addWidget(m_more);
    m_filter->setPlaceholderText(QStringLiteral("Filter"));
    m_filter->setAccessibleName(QStringLiteral("Words to look for"));
    // What tells rows apart may be anywhere in them: they are wrapped rather than cut.
    m_list->setWordWrap(true);
    m_list->setTextElideMode(Qt::ElideNone);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setItemDelegate(new ChoiceRow(m_list));
    m_list->setAccessibleName(title);
    showMatches();
    m_filter->installEventFilter(this);
    connect(m_filter, &QLineEdit::textChanged, this, &Chooser::showMatches);
    connect(m_filter, &QLineEdit::returnPressed, this, &Chooser::take);
    connect(m_list, &QListWidget::itemClicked, this, &Chooser::take);
    connect(m_list, &QListWidget::itemActivated, this, &Chooser::take);
}

// As wide as the longest row, as far as the screen is.
void Chooser::fitRows(const QRect &screen)
{
    const QMargins margins = layout()->contentsMargins();
    const int around = margins.left() + margins.right() + 2 * (frameWidth() + m_list->frameWidth()) +
                       m_list->verticalScrollBar()->sizeHint().width() + kBesideText;
    const QFontMetrics metrics = m_list->fontMetrics();
    int width = kNarrowest;
    for (std::size_t i = 0; i < std::min(m_choices.size(), kMostMeasured); ++i) {
        const int beside = metrics.horizontalAdvance(m_choices[i].beside);
        width = std::max(width, metrics.horizontalAdvance(m_choices[i].text) + around +
                                    (beside > 0 ? beside + 2 * kBesideText : 0));
    }
    resize(std::min({width, kWidest, screen.width()}), std::min(kHeight, screen.height()));
}

void Chooser::showAt(const QPoint &globalPosition)
{
    const QRect room = parentWidget()->screen()->availableGeometry();
    fitRows(room);
    move(std::clamp(globalPosition.x(), room.left(), std::max(room.left(), room.right() - width())),
         std::clamp(globalPosition.y(), room.top(), std::max(room.top(), room.bottom() - height())));
    show();
    m_filter->setFocus();
}

void Chooser::showMatches()
{
    const QStringList words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::array<std::vector<std::size_t>, 3> found; // by how well they fit
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (const auto fits = fit(m_choices[i], words))
            found[*fits].push_back(i);
    }
    m_rows.clear();
    for (const auto &places : found)
        m_rows.insert(m_rows.end(), places.begin(), places.end());
    const std::size_t all = m_rows.size();
    m_rows.resize(std::min(all, kMostRows));
    m_list->clear();
    for (const std::size_t place : m_rows) {
        const Choice &choice = m_choices[place];
        auto *item = new QListWidgetItem(choice.text, m_list);
        item->setData(Beside, choice.beside);
        item->setToolTip(choice.text);
        item->setData(Qt::AccessibleTextRole, QStringList{choice.text, choice.beside}.join(QStringLiteral(", ")));
        if (!choice.isEnabled)
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    m_list->setCurrentRow(m_rows.empty() ? -1 : 0);
    m_more->setVisible(all != m_rows.size() || all == 0);
    m_more->setText(all == 0 ? QStringLiteral("Nothing has these words.")
                             : QStringLiteral("%1 more: type more of it.")
                                   .arg(countText(static_cast<std::int64_t>(all - m_rows.size()))));
}

void Chooser::take()
{
    const int row = m_list->currentRow();
    if (!isVisible() || row < 0 || !m_choices[m_rows[static_cast<std::size_t>(row)]].isEnabled)
        return; // a click may also activate
    const std::function<void()> chosen = m_choices[m_rows[static_cast<std::size_t>(row)]].take;
    close();
    chosen();
}

// The text field has the focus; keys for the list are passed to it.
bool Chooser::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
            return QCoreApplication::sendEvent(m_list, event);
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace stagecraft
