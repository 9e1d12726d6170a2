#include "widgets/study/size_view.h"

#include "widgets/base/elided_label.h"
#include "widgets/base/fact_strip.h"
#include "widgets/base/format.h"
#include "widgets/study/form_lines.h"
#include "widgets/study/size_plot.h"
#include "widgets/study/study_page.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedLayout>

#include <utility>

namespace stagecraft {
namespace {

const QString kUsualSizes = QStringLiteral("1..1024:x4");

} // namespace

class SizeView::Private {
public:
    explicit Private(SizeView *owner) : q(owner) {}

    SizeView *q;
    QComboBox *parameter = nullptr;
    QLineEdit *sizes = nullptr;
    QPushButton *go = nullptr;
    FactStrip *facts = nullptr;
    ElidedLabel *crossing = nullptr;
    QLabel *hint = nullptr;
    SizePlot *plot = nullptr;
    QStackedLayout *stack = nullptr;
    QString wanted; // the parameter that was chosen, offered or not
    QString whyNot;
    QString progress;
    bool isRunning = false;

    void createForm(QLayout *form)
    {
        parameter = new QComboBox(q);
        parameter->setObjectName(QStringLiteral("parameter"));
        parameter->setAccessibleName(QStringLiteral("Parameter whose sizes are studied"));
        parameter->setToolTip(QStringLiteral("What the sizes are of: a parameter of the model, or its batch"));
        parameter->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        sizes = new QLineEdit(kUsualSizes, q);
        sizes->setObjectName(QStringLiteral("sizes"));
        sizes->setAccessibleName(QStringLiteral("Sizes, from and to"));
        sizes->setToolTip(QStringLiteral("1..1024 doubles from 1 to 1,024; 1..1024:x4 goes on by a factor; 8..64:8 has "
                                         "8 sizes at equal distances"));
        sizes->setFixedWidth(sizes->fontMetrics().horizontalAdvance(QStringLiteral("1..65,536:x4")) + 12);
        go = new QPushButton(q);
        go->setObjectName(QStringLiteral("go"));
        for (QWidget *each : std::initializer_list<QWidget *>{parameter, sizes, go})
            form->addWidget(each);
        QObject::connect(parameter, &QComboBox::currentIndexChanged, q, &SizeView::rangeChanged);
        QObject::connect(parameter, &QComboBox::textActivated, q, [this](const QString &text) { wanted = text; });
        QObject::connect(sizes, &QLineEdit::textChanged, q, &SizeView::rangeChanged);
        QObject::connect(sizes, &QLineEdit::returnPressed, q, [this] {
            if (!isRunning && go->isEnabled())
                emit q->startRequested();
        });
        QObject::connect(go, &QPushButton::clicked, q,
                         [this] { isRunning ? emit q->stopRequested() : emit q->startRequested(); });
    }

    void refresh() const
    {
        go->setText(isRunning ? QStringLiteral("Stop") : QStringLiteral("Start"));
        go->setEnabled(isRunning || whyNot.isEmpty());
        go->setToolTip(isRunning          ? QStringLiteral("Stop after what is known; Start goes on from there")
                       : whyNot.isEmpty() ? QStringLiteral("Search at each size, and compare with Sequential")
                                          : whyNot);
        hint->setText(whyNot.isEmpty()
                          ? QStringLiteral("What the schedule gains over Sequential at each size appears here, and "
                                           "where that begins or ends: press Start.")
                          : whyNot);
        std::vector<Fact> shown;
        const auto &points = plot->points();
        if (!points.empty()) {
            const auto provenance = points.front().found->measured.provenance;
            shown.push_back({QStringLiteral("sizes"), countText(static_cast<std::int64_t>(points.size())),
                             QStringLiteral("0,000"), provenance ? provenanceText(*provenance) : QString(),
                             provenance});
        }
        if (!progress.isEmpty())
            shown.push_back({QStringLiteral("now"), progress});
        if (shown.empty() && !whyNot.isEmpty())
            facts->setMessage(whyNot);
        else
            facts->setFacts(std::move(shown));
    }
};

SizeView::SizeView(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    auto *form = new FormLines(this);
    d.createForm(form->layout());
    d.plot = new SizePlot(this);
    d.crossing = new ElidedLabel({}, this);
    d.crossing->setElideMode(Qt::ElideRight);
    d.crossing->setContentsMargins(8, 0, 8, 2);
    d.crossing->hide();
    const StudyPage made = layOutStudy(this, form, d.crossing, d.plot);
    d.facts = made.facts;
    d.hint = made.hint;
    d.stack = made.stack;
    setAccessibleName(QStringLiteral("Gain of schedules by size"));
    connect(d.plot, &SizePlot::chosen, this, &SizeView::chosen);
    d.refresh();
}

SizeView::~SizeView() = default;

void SizeView::offerParameters(const QStringList &parameters)
{
    Private &d = *m_private;
    QStringList offered;
    for (int i = 0; i < d.parameter->count(); ++i)
        offered << d.parameter->itemText(i);
    if (offered == parameters)
        return;
    {
        const QSignalBlocker blocker(d.parameter);
        d.parameter->clear();
        d.parameter->addItems(parameters);
        const auto at = parameters.indexOf(d.wanted);
        const auto tokens = parameters.indexOf(QStringLiteral("tokens"));
        d.parameter->setCurrentIndex(static_cast<int>(at >= 0 ? at : tokens >= 0 ? tokens : parameters.size() - 1));
    }
    emit rangeChanged();
}

QString SizeView::parameter() const
{
    return m_private->parameter->currentText();
}

QString SizeView::over() const
{
    return QStringLiteral("%1=%2").arg(parameter(), m_private->sizes->text().remove(QLatin1Char(' ')));
}

void SizeView::setOver(const QString &parameter, const QString &sizes)
{
    m_private->wanted = parameter;
    m_private->parameter->setCurrentText(parameter);
    m_private->sizes->setText(sizes);
}

void SizeView::setReady(const QString &whyNot)
{
    m_private->whyNot = whyNot;
    m_private->refresh();
}

void SizeView::setRunning(bool running)
{
    m_private->isRunning = running;
    m_private->refresh();
}

void SizeView::setPoints(const std::vector<SizePoint> &points)
{
    Private &d = *m_private;
    d.stack->setCurrentIndex(points.empty() ? 0 : 1);
    const std::string named = parameter().toStdString();
    d.crossing->setText(QString::fromStdString(crossingText(points, kSizeIos, named)));
    d.crossing->setDetail(QString::fromStdString(crossingText(points, kSizeGreedy, named)));
    d.crossing->setVisible(!points.empty());
    d.plot->setPoints(points, parameter());
    d.refresh();
}

void SizeView::showProgress(const QString &text)
{
    m_private->progress = text;
    m_private->refresh();
}

SizePlot *SizeView::plot() const
{
    return m_private->plot;
}

QString SizeView::plainSummary() const
{
    const Private &d = *m_private;
    return d.crossing->isHidden() ? d.facts->plainText()
                                  : d.facts->plainText() + QLatin1Char('\n') + d.crossing->text();
}

QString SizeView::hint() const
{
    return m_private->stack->currentIndex() == 0 ? m_private->hint->text() : QString();
}

void SizeView::copyPicture() const
{
    QApplication::clipboard()->setImage(m_private->plot->picture());
}

QSize SizeView::sizeHint() const
{
    return {470, 230};
}

} // namespace stagecraft
