#include "desktop/kept/kept_readings.h"

#include "flow/open/model_reading.h"
#include "operators/values/tensor.h"

#include <QSettings>
#include <QStringList>
#include <QVariantMap>

namespace stagecraft {
namespace {

constexpr qsizetype kMostReadings = 50; // files

QString readingsKey()
{
    return QStringLiteral("readings");
}

} // namespace

SessionReading keptReading(const QString &spec)
{
    const QVariantMap kept = QSettings().value(readingsKey()).toMap().value(spec).toMap();
    SessionReading reading;
    if (kept.isEmpty())
        return reading;
    reading.units = kept.value(QStringLiteral("units")).toString().toStdString();
    for (const QString &pass : kept.value(QStringLiteral("without")).toStringList())
        reading.without.push_back(pass.toStdString());
    const QVariantMap shapes = kept.value(QStringLiteral("shapes")).toMap();
    for (auto shape = shapes.begin(); shape != shapes.end(); ++shape) {
        if (const auto sizes = sizesFromText(shape.value().toString().toStdString()))
            reading.shapes[shape.key().toStdString()] = *sizes;
    }
    return reading;
}

void keepReading(const QString &spec, const SessionReading &reading)
{
    if (keptReading(spec) == reading)
        return;
    QVariantMap all = QSettings().value(readingsKey()).toMap();
    all.remove(spec);
    if (reading != SessionReading{}) {
        while (all.size() >= kMostReadings)
            all.erase(all.begin());
        QStringList without;
        for (const std::string &pass : reading.without)
            without << QString::fromStdString(pass);
        QVariantMap shapes;
        for (const auto &[input, sizes] : reading.shapes)
            shapes[QString::fromStdString(input)] = QString::fromStdString(toString(Shape{sizes}));
        all[spec] = QVariantMap{{QStringLiteral("units"), QString::fromStdString(reading.units)},
                                {QStringLiteral("without"), without},
                                {QStringLiteral("shapes"), shapes}};
    }
    QSettings().setValue(readingsKey(), all);
}

} // namespace stagecraft
