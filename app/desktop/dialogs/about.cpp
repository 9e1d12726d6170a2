#include "desktop/dialogs/about.h"

#include <QCoreApplication>
#include <QStringList>

#include <array>

namespace stagecraft {
namespace {

struct Part {
    const char *name;
    const char *licence;
};

// As listed in packaging/copyright.
constexpr std::array kBuiltOn{
    Part{"Qt", "LGPL 3"},          Part{"QCustomPlot", "GPL 3 or later"}, Part{"ONNX", "Apache 2.0"},
    Part{"Protobuf", "BSD"},       Part{"oneDNN", "Apache 2.0"},          Part{"SQLite", "public domain"},
    Part{"OpenSSL", "Apache 2.0"}, Part{"JSON for Modern C++", "MIT"},    Part{"CLI11", "BSD"},
    Part{"expected", "CC0"},       Part{"XGBoost", "Apache 2.0"},
};

} // namespace

QString aboutTitle()
{
    return QStringLiteral("<h3>Stagecraft %1</h3>").arg(QCoreApplication::applicationVersion());
}

QString aboutText()
{
    QStringList parts;
    for (const Part &part : kBuiltOn)
        parts << QStringLiteral("%1 (%2)").arg(QLatin1String(part.name), QLatin1String(part.licence));
    return QStringLiteral(
               "<p>An explorer for inter-operator schedules of neural networks, after IOS: Inter-Operator Scheduler "
               "for "
               "CNN "
               "Acceleration (Ding et al., MLSys 2021).</p>"
               "<p>This window is free software under the GNU General Public License, version 3 or later, because of "
               "QCustomPlot; it comes without any warranty. Stagecraft's own sources, the command line and the worker "
               "are "
               "under the Apache License 2.0. What you export is yours; code of ours in it is under the Apache License "
               "2.0, too.</p>"
               "<p>Built on %1. Qt here is version %2. Graphviz's program dot (EPL 1.0) is run, where it is installed, "
               "to "
               "lay out the graph. NVIDIA's CUDA and cuDNN are used where they are installed, under NVIDIA's "
               "terms.</p>")
        .arg(parts.join(QStringLiteral(", ")), QString::fromLatin1(qVersion()));
}

} // namespace stagecraft
