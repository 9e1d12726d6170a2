#include "widgets/graph/empty_state.h"

#include "widgets/theme.h"

#include <QLabel>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
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
    : QWidget(parent), m_open(new QPushButton(tr("Open a model…"), this)), m_samples(new QLabel(this))
{
    auto *hint = new QLabel(tr("Drop an ONNX file here, or choose a sample"), this);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    m_open->setAccessibleName(tr("Open a model"));
    m_samples->setAlignment(Qt::AlignCenter);
    m_samples->setWordWrap(true);
    m_samples->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_samples->setAccessibleName(tr("Samples"));

    auto *layout = new QVBoxLayout(this);
    layout->addStretch(1);
    layout->addSpacing(kPictureHeight + 20);
    layout->addWidget(m_open, 0, Qt::AlignHCenter);
    layout->addWidget(hint);
    layout->addWidget(m_samples);
    layout->addStretch(1);
    layout->setSpacing(10);
    connect(m_open, &QPushButton::clicked, this, &EmptyState::openRequested);
    connect(m_samples, &QLabel::linkActivated, this, &EmptyState::sampleRequested);
}

void EmptyState::setSamples(const QStringList &names)
{
    QStringList links;
    for (const QString &name : names)
        links << QStringLiteral("<a href=\"%1\">%1</a>").arg(name.toHtmlEscaped());
    m_samples->setText(links.join(QStringLiteral(" &nbsp;·&nbsp; ")));
    m_samples->setVisible(!names.isEmpty());
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
