#include "desktop/document/next_search.h"

#include <utility>

namespace stagecraft {

void NextSearch::takeSettings()
{
    if (m_model)
        m_settings = m_places.add(m_model, m_device);
}

QString NextSearch::spec() const
{
    return m_model ? QString::fromStdString(m_model->source) : QString();
}

void NextSearch::setModel(const ModelPtr &model)
{
    (void)m_places.setFound(model); // a missing model may have been opened
    m_model = m_places.known(model);
    takeSettings();
    emit modelChanged();
    emit chosen();
}

// The same one again, as when devices are listed, is no new choice: what is shown stays.
void NextSearch::setDevice(DeviceInfo device)
{
    const std::string idBefore = std::exchange(m_device, std::move(device)).id;
    const RunContext before = m_settings;
    takeSettings();
    emit deviceChanged();
    if (m_device.id != idBefore || m_settings != before)
        emit chosen();
}

// A device from a file may have changed since: it is taken as it is now, and the result then does not fit.
bool NextSearch::follow(const Place &place)
{
    const bool isOtherModel = m_model != place.model;
    const bool hasOtherId = m_device.id != place.device.id;
    const bool isEqualDevice = hasOtherId && m_device.isDeviceOf(place.settings); // a pool and one of its members
    const bool isOtherDevice = hasOtherId && !isEqualDevice;
    if (!isOtherModel && !isOtherDevice && (m_model || m_settings == place.settings))
        return false;
    m_model = place.model;
    if (!isEqualDevice)
        m_device = place.device;
    m_settings = place.settings; // of a missing model
    takeSettings();
    if (isOtherModel)
        emit modelChanged();
    if (isOtherDevice)
        emit deviceChanged();
    return true;
}

void NextSearch::restore(const ModelPtr &model)
{
    if (model) {
        m_model = model;
        takeSettings();
    }
    emit modelChanged();
}

} // namespace stagecraft
