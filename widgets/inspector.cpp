#include "widgets/inspector.h"

#include "widgets/selection.h"

#include <QClipboard>
#include <QGuiApplication>

namespace stagecraft {

class Inspector::Private {
public:
    Selection *selection = nullptr;
    std::shared_ptr<const Model> model;
    std::shared_ptr<const Schedule> schedule;
    std::vector<BlockSearch> search;
};

Inspector::Inspector(Selection *selection, QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>())
{
    m_private->selection = selection;
    setAccessibleName(tr("Inspector"));
}

Inspector::~Inspector() = default;

void Inspector::setModel(std::shared_ptr<const Model> model)
{
    m_private->model = std::move(model);
    m_private->schedule = nullptr;
    m_private->search.clear();
}

void Inspector::setSchedule(std::shared_ptr<const Schedule> schedule)
{
    m_private->schedule = std::move(schedule);
}
void Inspector::setSearch(std::vector<BlockSearch> search)
{
    m_private->search = std::move(search);
}

QString Inspector::plainText() const
{
    return m_private->model ? QString::fromStdString(m_private->model->name) : QString();
}

QSize Inspector::sizeHint() const
{
    return {320, 640};
}
void Inspector::copyToClipboard() const
{
    QGuiApplication::clipboard()->setText(plainText());
}
void Inspector::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
}

} // namespace stagecraft
