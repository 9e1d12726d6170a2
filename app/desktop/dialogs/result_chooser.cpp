#include "desktop/dialogs/result_chooser.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kNarrowest = 380;
constexpr int kWidest = 900;
constexpr int kHeight = 300;
constexpr int kBesideText = 12; // of a row

} // namespace

ResultChooser::ResultChooser(const QString &title, const std::vector<ResultChoice> &choices, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_choices(choices), m_filter(new QLineEdit(this)), m_list(new QListWidget(this))
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
    m_filter->setPlaceholderText(QStringLiteral("Filter"));
    m_filter->setAccessibleName(QStringLiteral("Filter results"));
    // What tells results apart may be anywhere in a row: it is wrapped rather than cut.
    m_list->setWordWrap(true);
    m_list->setTextElideMode(Qt::ElideNone);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(title);
    for (const ResultChoice &choice : choices) {
        m_list->addItem(choice.text);
        m_list->item(m_list->count() - 1)->setToolTip(choice.text);
    }
    m_list->setCurrentRow(0);
    m_filter->installEventFilter(this);
    connect(m_filter, &QLineEdit::textChanged, this, &ResultChooser::filterBy);
    connect(m_filter, &QLineEdit::returnPressed, this, &ResultChooser::take);
    connect(m_list, &QListWidget::itemClicked, this, &ResultChooser::take);
    connect(m_list, &QListWidget::itemActivated, this, &ResultChooser::take);
}

// As wide as the longest row, as far as the screen is.
void ResultChooser::fitRows(const QRect &screen)
{
    const QMargins margins = layout()->contentsMargins();
    const int around = margins.left() + margins.right() + 2 * (frameWidth() + m_list->frameWidth()) +
                       m_list->verticalScrollBar()->sizeHint().width() + kBesideText;
    int width = kNarrowest;
    for (const ResultChoice &choice : m_choices)
        width = std::max(width, m_list->fontMetrics().horizontalAdvance(choice.text) + around);
    resize(std::min({width, kWidest, screen.width()}), std::min(kHeight, screen.height()));
}

void ResultChooser::showAt(const QPoint &globalPosition)
{
    const QRect room = parentWidget()->screen()->availableGeometry();
    fitRows(room);
    move(std::clamp(globalPosition.x(), room.left(), std::max(room.left(), room.right() - width())),
         std::clamp(globalPosition.y(), room.top(), std::max(room.top(), room.bottom() - height())));
    show();
    m_filter->setFocus();
}

void ResultChooser::filterBy(const QString &words)
{
    int first = -1;
    for (int row = 0; row < m_list->count(); ++row) {
        const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        const bool passes = std::ranges::all_of(
            parts, [&](const QString &part) { return m_list->item(row)->text().contains(part, Qt::CaseInsensitive); });
        m_list->item(row)->setHidden(!passes);
        if (passes && first < 0)
            first = row;
    }
    m_list->setCurrentRow(first);
}

void ResultChooser::take()
{
    const int row = m_list->currentRow();
    if (!isVisible() || row < 0 || m_list->item(row)->isHidden()) // a click may also activate
        return;
    const ResultId id = m_choices[static_cast<std::size_t>(row)].id;
    close();
    emit chosen(id);
}

// The text field has the focus; keys for the list are passed to it.
bool ResultChooser::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down || key == Qt::Key_PageUp || key == Qt::Key_PageDown)
            return QCoreApplication::sendEvent(m_list, event);
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace stagecraft
