#include "widgets/graph/empty_state.h"

#include "widgets/flow_layout.h"
#include "widgets/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft {
namespace {

constexpr int kPictureHeight = 128;

// A small graph with its stages, drawn, so that it follows the theme.
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
    : QWidget(parent), m_open(new QPushButton(QStringLiteral("Open a model…"), this)), m_samples(new QWidget(this))
{
    auto *hint = new QLabel(QStringLiteral("Drop an ONNX file here, or choose a sample"), this);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    m_open->setAccessibleName(QStringLiteral("Open a model"));
    m_open->setMinimumSize(150, 34);
    m_open->setCursor(Qt::PointingHandCursor);
    m_samples->setAccessibleName(QStringLiteral("Samples"));
    m_samples->setMaximumWidth(420);
    m_samples->setLayout(new FlowLayout(6));

    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addSpacing(kPictureHeight + 20);
    layout->addWidget(m_open, 0, Qt::AlignHCenter);
    layout->addWidget(hint);
    auto *row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_samples, 100);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addStretch(1);
    layout->setSpacing(12);
    connect(m_open, &QPushButton::clicked, this, &EmptyState::openRequested);
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

void EmptyState::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeFor(palette());
    painter.fillRect(rect(), theme.canvas);
    paintPicture(painter, theme, width() / 2.0, m_open->geometry().top() - kPictureHeight - 20);
}

} // namespace stagecraft
