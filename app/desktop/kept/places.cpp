#include "desktop/kept/places.h"

#include <QSettings>

namespace stagecraft {
namespace {

constexpr const char *kPlaces = "devicePlaces";

void keep(const QStringList &places)
{
    QSettings().setValue(QLatin1String(kPlaces), places);
}

} // namespace

QStringList keptPlaces()
{
    return QSettings().value(QLatin1String(kPlaces)).toStringList();
}

void keepPlace(const QString &place)
{
    QStringList places = keptPlaces();
    places.removeAll(place);
    places.prepend(place);
    keep(places);
}

void forgetPlace(const QString &place)
{
    QStringList places = keptPlaces();
    places.removeAll(place);
    keep(places);
}

} // namespace stagecraft
