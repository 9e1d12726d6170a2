#include "app/desktop/window_test.h"
#include "support/suite.h"
#include "wiring/device_catalog.h"

#include <QAction>
#include <QMessageBox>

using namespace stagecraft;

namespace tst_about {

class TestAbout : public WindowTest {
    Q_OBJECT

private slots:
    void about_inTheHelpMenu_saysVersionAndLicences()
    {
        QCoreApplication::setApplicationVersion(QStringLiteral("9.8.7"));
        TestedWindow window(installedServices());
        const QList<QAction *> actions = window.findChildren<QAction *>();
        const auto about = std::find_if(actions.begin(), actions.end(),
                                        [](const QAction *action) { return action->text() == "&About Stagecraft"; });
        QVERIFY(about != actions.end());
        (*about)->trigger();
        const auto *box = window.findChild<QMessageBox *>();
        QVERIFY(box);
        const QString text = box->text() + box->informativeText();
        for (const char *expected :
             {"9.8.7", "General Public License, version 3 or later", "Apache License 2.0", "What you export is yours",
              "QCustomPlot (GPL 3 or later)", "Qt (LGPL 3)", "Graphviz", "oneDNN", "ONNX", "cuDNN"})
            QVERIFY2(text.contains(QLatin1String(expected)), expected);
    }
};

STAGECRAFT_SUITE(TestAbout)

} // namespace tst_about
#include "tst_about.moc"
