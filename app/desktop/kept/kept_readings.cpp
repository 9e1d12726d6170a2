#include "desktop/kept/kept_readings.h"

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

Reading keptReading(const QString &spec)
{
    const QVariantMap kept = QSettings().value(readingsKey()).toMap().value(spec).toMap();
    Reading reading;
    if (kept.isEmpty())
        return reading;
    reading.units = unitsFromString(kept.value(QStringLiteral("units")).toString().toStdString()).value_or(Units::Ios);
    for (const QString &pass : kept.value(QStringLiteral("without")).toStringList())
        reading.without.insert(pass.toStdString());
    const QVariantMap shapes = kept.value(QStringLiteral("shapes")).toMap();
    for (auto shape = shapes.begin(); shape != shapes.end(); ++shape) {
        if (const auto sizes = sizesFromText(shape.value().toString().toStdString()))
            reading.sizes[shape.key().toStdString()] = *sizes;
    }
    return reading;
}

void keepReading(const QString &spec, const Reading &asRead)
{
    Reading reading = asRead;
    reading.splits.clear(); // what is done by hand is of a schedule, not of the file
    reading.splitByRows.clear();
    reading.apart.clear();
    reading.joinedAfter.clear();
    reading.cutAfter.clear();
    if (keptReading(spec) == reading)
        return;
    QVariantMap all = QSettings().value(readingsKey()).toMap();
    all.remove(spec);
    if (!reading.isUsual()) {
        while (all.size() >= kMostReadings)
            all.erase(all.begin());
        QStringList without;
        for (const std::string &pass : reading.without)
            without << QString::fromStdString(pass);
        QVariantMap shapes;
        for (const auto &[input, sizes] : reading.sizes)
            shapes[QString::fromStdString(input)] = QString::fromStdString(toString(Shape{sizes}));
        all[spec] = QVariantMap{{QStringLiteral("units"), QString::fromUtf8(toString(reading.units))},
                                {QStringLiteral("without"), without},
                                {QStringLiteral("shapes"), shapes}};
    }
    QSettings().setValue(readingsKey(), all);
}

} // namespace stagecraft
