#include "widgets/study/schedule_preview.h"

#include "widgets/base/theme.h"

#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr QSize kStrip{280, 44};
constexpr std::size_t kMostGroups = 6; // rows of the strip
constexpr int kApart = 14;             // pixels from the point

} // namespace

class SchedulePreview::Strip : public QWidget {
public:
    explicit Strip(QWidget *parent) : QWidget(parent) { setFixedSize(kStrip); }

    std::shared_ptr<const TimedSchedule> schedule;

protected:
    void paintEvent(QPaintEvent *) override
    {
        if (!schedule || !schedule->hasStageLatencies())
            return;
        QPainter painter(this);
        const Theme theme = themeFor(palette());
        const double sumUs = schedule->sumOfStagesUs();
        double x = 0;
        for (std::size_t stage = 0; stage < schedule->stages.size(); ++stage) {
            const double share = schedule->measured.stages[stage].latencyUs / sumUs * width();
            drawStage(painter, theme, stage, {x, 0, std::max(1.0, share - 1), static_cast<double>(height())});
            x += share;
        }
    }

private:
    void drawStage(QPainter &painter, const Theme &theme, std::size_t stage, const QRectF &place) const
    {
        const Stage &of = schedule->stages[stage];
        const std::size_t rows = std::clamp<std::size_t>(of.concurrentGroups(), 1, kMostGroups);
        const double height = place.height() / static_cast<double>(rows);
        for (std::size_t row = 0; row < rows; ++row)
            painter.fillRect(QRectF(place.left(), place.top() + static_cast<double>(row) * height, place.width(),
                                    std::max(1.0, height - 1)),
                             theme.stageFill(stage));
        if (of.isMerged())
            painter.fillRect(QRectF(place.left(), place.top(), place.width(), 3), theme.mergeMark);
    }
};

SchedulePreview::SchedulePreview(QWidget *owner)
    : QFrame(owner), m_owner(owner), m_words(new QLabel(this)), m_strip(new Strip(this))
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAutoFillBackground(true);
    setVisible(false);
    setFrameShape(QFrame::Box);
    setObjectName(QStringLiteral("preview"));
    m_words->setTextFormat(Qt::RichText);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 8);
    column->setSpacing(6);
    column->addWidget(m_words);
    column->addWidget(m_strip);
}

void SchedulePreview::show(const QString &title, const QString &latency, const QStringList &facts,
                           std::shared_ptr<const TimedSchedule> schedule, const QPoint &at)
{
    QStringList escaped;
    for (const QString &fact : facts)
        escaped << fact.toHtmlEscaped();
    m_words->setText(QStringLiteral("<b>%1</b>&nbsp; %2<br>%3")
                         .arg(title.toHtmlEscaped(), latency.toHtmlEscaped(), escaped.join(QStringLiteral("<br>"))));
    m_spoken = (QStringList{title, latency} + facts).join(QStringLiteral(", "));
    setAccessibleName(m_spoken);
    m_strip->schedule = std::move(schedule);
    m_strip->update();
    adjustSize();
    QWidget *window = m_owner->window(); // another one while its panel floats
    if (parentWidget() != window)
        setParent(window);
    const QPoint here = window->mapFromGlobal(at);
    QPoint corner = here + QPoint(kApart, -height() - kApart);
    if (corner.x() + width() > window->width())
        corner.setX(std::max(0, here.x() - kApart - width()));
    if (corner.y() < 0)
        corner.setY(here.y() + kApart);
    move(corner);
    raise();
    setVisible(true);
}

QString SchedulePreview::spoken() const
{
    return m_spoken;
}

} // namespace stagecraft
