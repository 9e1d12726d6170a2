#include "widgets/graph/overlay/empty_state.h"

#include "widgets/base/flow_layout.h"
#include "widgets/base/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagecraft {
namespace {

constexpr int kPictureHeight = 128;
constexpr int kWidest = 420;
constexpr int kButtonMargins = 24; // of a line and of the page

// A small graph with its stages, painted in the theme's colours.
void paintPicture(QPainter &painter, const Theme &theme, double centre, double top)
{
    const QSizeF card(54, 22);
    const auto at = [&](double x, double y) {
        return QRectF(centre + x - card.width() / 2, top + y, card.width(), card.height());
    };
    const std::array cards{at(0, 0), at(-66, 50), at(0, 50), at(66, 50), at(0, 100)};
    const std::array<std::size_t, 5> stages{0, 1, 1, 2, 3};
    painter.setPen(QPen(theme.edge, 1.4));
    painter.setBrush(Qt::NoBrush);
    const auto join = [&](std::size_t from, std::size_t to) {
        const QPointF start(cards[from].center().x(), cards[from].bottom());
        const QPointF end(cards[to].center().x(), cards[to].top());
        const QPointF bend(0, (end.y() - start.y()) / 2);
        QPainterPath path(start);
        path.cubicTo(start + bend, end - bend, end);
        painter.drawPath(path);
    };
    for (const std::size_t middle : {1U, 2U, 3U}) {
        join(0, middle);
        join(middle, 4);
    }
    for (std::size_t i = 0; i < cards.size(); ++i) {
        painter.setPen(QPen(theme.stageOutline(stages[i]), 1));
        painter.setBrush(theme.stageFill(stages[i]));
        painter.drawRoundedRect(cards[i], 6, 6);
    }
}

} // namespace

EmptyState::EmptyState(QWidget *parent)
    : QWidget(parent), m_open(new QPushButton(QStringLiteral("Open a model…"), this)),
      m_tour(new QPushButton(QStringLiteral("First tour"), this)), m_samples(new QWidget(this)),
      m_entries(new QWidget(this))
{
    auto *hint = new QLabel(QStringLiteral("Drop a model or a session here, or choose a sample"), this);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    m_open->setAccessibleName(QStringLiteral("Open a model"));
    m_open->setMinimumSize(150, 34);
    m_open->setCursor(Qt::PointingHandCursor);
    m_tour->setMinimumHeight(34);
    m_tour->setCursor(Qt::PointingHandCursor);
    m_tour->setToolTip(QStringLiteral("Five minutes with the sample network: search, look, edit, compare and save"));
    m_samples->setAccessibleName(QStringLiteral("Samples"));
    m_samples->setMaximumWidth(kWidest);
    m_samples->setLayout(new FlowLayout(6));

    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addSpacing(0); // below the picture
    auto *begin = new QHBoxLayout;
    begin->addStretch(1);
    begin->addWidget(m_open);
    begin->addWidget(m_tour);
    begin->addStretch(1);
    layout->addLayout(begin);
    layout->addWidget(hint);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_samples, 100);
    row->addStretch(1);
    layout->addLayout(row);
    m_entries->setLayout(new QVBoxLayout);
    m_entries->layout()->setContentsMargins(0, 0, 0, 0);
    m_entries->layout()->setSpacing(2);
    m_entries->setMaximumWidth(kWidest);
    layout->addWidget(m_entries, 0);
    layout->setAlignment(m_entries, Qt::AlignHCenter);
    layout->addStretch(1);
    layout->setSpacing(12);
    connect(m_open, &QPushButton::clicked, this, &EmptyState::openRequested);
    connect(m_tour, &QPushButton::clicked, this, &EmptyState::tourRequested);
}

void EmptyState::setSamples(const QStringList &names)
{
    qDeleteAll(m_samples->findChildren<QToolButton *>());
    for (const QString &name : names) {
        auto *button = new QToolButton(m_samples);
        button->setText(name);
        button->setCursor(Qt::PointingHandCursor);
        button->setToolTip(QStringLiteral("Open the sample %1").arg(name));
        connect(button, &QToolButton::clicked, this, [this, name] { emit sampleRequested(name); });
        m_samples->layout()->addWidget(button);
    }
}

void EmptyState::setEntries(const std::vector<StartEntry> &left, const std::vector<StartEntry> &recent)
{
    for (QWidget *line : std::exchange(m_lines, {})) { // deferred deletion: one of them may be the sender
        m_entries->layout()->removeWidget(line);
        line->hide();
        line->deleteLater();
    }
    const auto add = [this](const QString &title, const std::vector<StartEntry> &entries, auto asked) {
        if (entries.empty())
            return;
        auto *heading = new QLabel(title, m_entries);
        QFont bold = heading->font();
        bold.setBold(true);
        heading->setFont(bold);
        m_lines.push_back(heading);
        for (const StartEntry &entry : entries) {
            auto *button = new QToolButton(m_entries);
            button->setAccessibleName(entry.detail.isEmpty() ? entry.text
                                                             : QStringLiteral("%1, %2").arg(entry.text, entry.detail));
            button->setToolTip(entry.id);
            button->setAutoRaise(true);
            button->setCursor(Qt::PointingHandCursor);
            button->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
            connect(button, &QToolButton::clicked, this, [this, asked, id = entry.id] { emit(this->*asked)(id); });
            m_lines.push_back(button);
        }
    };
    add(QStringLiteral("Continue where you left off"), left, &EmptyState::continueRequested);
    add(QStringLiteral("Recent"), recent, &EmptyState::recentRequested);
    for (QWidget *line : m_lines)
        m_entries->layout()->addWidget(line);
    fit();
}

// If space is short, the picture is dropped first, then the oldest entries.
void EmptyState::fit()
{
    const int spacing = layout()->spacing();
    const int fixed = m_open->minimumHeight() + 2 * fontMetrics().height() +
                      m_samples->heightForWidth(std::min(width(), kWidest)) + 6 * spacing;
    int lines = 0;
    for (QWidget *line : m_lines) {
        if (auto *button = qobject_cast<QToolButton *>(line))
            button->setText(button->fontMetrics().elidedText(button->accessibleName(), Qt::ElideMiddle,
                                                             std::min(width(), kWidest) - kButtonMargins));
        lines += line->sizeHint().height() + 2;
    }
    m_hasPicture = height() >= fixed + lines + kPictureHeight + 20;
    int room = height() - fixed - (m_hasPicture ? kPictureHeight + 20 : 0);
    for (QWidget *line : m_lines) {
        room -= line->sizeHint().height() + 2;
        line->setVisible(room >= 0);
    }
    layout()->itemAt(1)->spacerItem()->changeSize(0, m_hasPicture ? kPictureHeight + 20 : 0);
    layout()->invalidate();
    layout()->activate(); // the picture is painted above the button: at its new place
    update();
}

void EmptyState::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

void EmptyState::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeFor(palette());
    painter.fillRect(rect(), theme.canvas);
    if (m_hasPicture)
        paintPicture(painter, theme, width() / 2.0, m_open->geometry().top() - kPictureHeight - 20);
}

} // namespace stagecraft
