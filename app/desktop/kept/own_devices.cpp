#include "desktop/kept/own_devices.h"

#include <QSettings>

namespace stagecraft {
namespace {

constexpr const char *kKey = "ownDevices";

}

QStringList ownDevices()
{
    return QSettings().value(QLatin1String(kKey)).toStringList().mid(0, kMostOwnDevices);
}

void keepOwnDevice(const QString &id)
{
    if (!id.startsWith(QStringLiteral("sim:")))
        return;
    QStringList devices = ownDevices();
    devices.removeAll(id);
    devices.prepend(id);
    QSettings().setValue(QLatin1String(kKey), devices.mid(0, kMostOwnDevices));
}

} // namespace stagecraft
