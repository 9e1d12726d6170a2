#include "desktop/areas/status_area.h"

#include "desktop/areas/device_area.h"
#include "desktop/document/document.h"
#include "widgets/base/elided_label.h"
#include "widgets/base/format.h"
#include "widgets/base/theme.h"

#include <QLabel>
#include <QStatusBar>

namespace stagecraft {

StatusArea::StatusArea(const AreaContext &context)
    : Area(context), m_provenance(new QLabel(&window())), m_device(new ElidedLabel({}, &window())),
      m_model(new ElidedLabel({}, &window())), m_search(new ElidedLabel({}, &window()))
{
    window().statusBar()->addWidget(m_provenance);
    window().statusBar()->addWidget(m_device);
    window().statusBar()->addWidget(m_model);
    window().statusBar()->addPermanentWidget(m_search);
    m_provenance->setContentsMargins(8, 2, 0, 2);
    for (ElidedLabel *label : {m_device, m_model, m_search}) {
        label->setElideMode(Qt::ElideRight);
        label->setContentsMargins(8, 2, 8, 2);
    }
    connect(&next(), &NextSearch::modelChanged, this, &StatusArea::show);
    connect(&next(), &NextSearch::deviceChanged, this, &StatusArea::show);
    connect(&results(), &Results::frontChanged, this, &StatusArea::show);
    show();
}

void StatusArea::changePalette()
{
    show();
}

void StatusArea::show()
{
    const Theme theme = themeFor(window().palette());
    const DeviceInfo &device = next().device();
    m_provenance->setText(device.available
                              ? QStringLiteral("<span style='color:%1'>● %2</span>")
                                    .arg(theme.provenance(device.provenance).name(), provenanceText(device.provenance))
                              : QStringLiteral("<span style='color:%1'>○ %2</span>")
                                    .arg(theme.mutedText.name(), QStringLiteral("not available")));
    m_provenance->setToolTip(deviceDetail(device));
    m_device->setText(QString::fromStdString(device.title));
    m_device->setDetail(deviceDetail(device));
    const ModelPtr &model = next().model();
    m_model->setText(model ? QStringLiteral("%1: %2 in %3, batch %4")
                                 .arg(QString::fromStdString(model->name),
                                      plural(static_cast<std::int64_t>(model->graph->size()), "operator"),
                                      plural(static_cast<std::int64_t>(model->blocks.size()), "block"))
                                 .arg(model->graph->batch())
                           : QStringLiteral("No model is open"));
    const RatedResult &front = results().front();
    const ScheduleResult *result = results().shelf().find(front.id);
    QString search;
    if (front.schedule && result && !result->blocks.empty()) {
        const SearchRecord &record = front.schedule->search;
        search = QStringLiteral("%1: %2, %3, %4, %5 s")
                     .arg(QString::fromStdString(front.name), plural(record.states, "state"),
                          plural(record.transitions, "transition"), plural(record.stageMeasurements, "measurement"))
                     .arg(record.searchSeconds + record.measureSeconds, 0, 'f', 1);
    }
    m_search->setText(search);
}

} // namespace stagecraft
