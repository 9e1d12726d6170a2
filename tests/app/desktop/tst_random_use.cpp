// A person who presses anything: entries of menus, keys, clicks, drags, at random, while searches and studies run.
// Nothing crashes, and what the program holds (memory, descriptors, threads) comes to rest. Shortened here; by hand
// STAGECRAFT_RANDOM_USE_SECONDS=7200, and STAGECRAFT_RANDOM_USE_SEED to see the same again.

#include "support/suite.h"
#include "window_test.h"

#include <QAction>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QMenu>
#include <QPointer>
#include <QTextStream>

#include <algorithm>
#include <array>
#include <optional>
#include <random>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_random_use {
namespace {

constexpr int kSeconds = 20;

struct Held {
    long megabytes = 0;
    qsizetype descriptors = 0;
    qsizetype threads = 0;
};

Held heldNow()
{
    Held held;
    QFile status(QStringLiteral("/proc/self/status"));
    if (status.open(QIODevice::ReadOnly)) {
        for (const QByteArray &line : status.readAll().split('\n')) {
            if (line.startsWith("VmRSS:"))
                held.megabytes = line.mid(6).trimmed().split(' ').front().toLong() / 1024;
        }
    }
    held.descriptors = QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::AllEntries | QDir::System).size();
    held.threads = QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
    return held;
}

QString text(const Held &held)
{
    return QStringLiteral("%1 MB, %2 descriptors, %3 threads")
        .arg(held.megabytes)
        .arg(held.descriptors)
        .arg(held.threads);
}

// Closes what waits for an answer.
void answerNothing()
{
    if (QWidget *popup = QApplication::activePopupWidget())
        popup->close();
    else if (auto *dialog = qobject_cast<QDialog *>(QApplication::activeModalWidget()))
        dialog->reject();
}

class RandomPerson {
public:
    RandomPerson(MainWindow &window, std::uint32_t seed) : m_window(window), m_random(seed) {}

    [[nodiscard]] const QString &slowest() const { return m_slowest; }

    void act()
    {
        QElapsedTimer time;
        time.start();
        const int kind = below(10);
        if (kind < 4)
            trigger();
        else if (kind < 7)
            click();
        else
            press();
        if (time.elapsed() > m_slowestMs) {
            m_slowestMs = time.elapsed();
            m_slowest = QStringLiteral("%1 ms: %2").arg(m_slowestMs).arg(m_did);
        }
        QTest::qWait(below(40));
    }

private:
    int below(int count) { return std::uniform_int_distribution<>(0, count - 1)(m_random); }

    void trigger()
    {
        QList<QAction *> offered;
        for (QAction *action : m_window.findChildren<QAction *>()) {
            const bool ends = action->shortcut() == QKeySequence(QStringLiteral("Ctrl+Q")) ||
                              action->shortcut() == QKeySequence(QStringLiteral("Ctrl+N")); // another window
            if (action->isEnabled() && !action->menu() && !action->isSeparator() && !ends)
                offered << action;
        }
        if (offered.isEmpty())
            return;
        QAction *action = offered[below(static_cast<int>(offered.size()))];
        m_did = action->text();
        action->trigger();
    }

    void click()
    {
        QList<QWidget *> seen;
        for (QWidget *widget : m_window.findChildren<QWidget *>()) {
            if (widget->isVisible() && widget->isEnabled() && widget->width() > 2 && widget->height() > 2 &&
                widget->window() == &m_window)
                seen << widget;
        }
        if (seen.isEmpty())
            return;
        QWidget *widget = seen[below(static_cast<int>(seen.size()))];
        m_did = QStringLiteral("click on ") + QString::fromLatin1(widget->metaObject()->className());
        const QPoint from(below(widget->width()), below(widget->height()));
        const QPoint to(below(widget->width()), below(widget->height()));
        const Qt::MouseButton button = below(5) == 0 ? Qt::RightButton : Qt::LeftButton;
        if (below(3) > 0)
            return QTest::mouseClick(widget, button, {}, from);
        const QPointer<QWidget> held(widget);
        QTest::mousePress(widget, Qt::LeftButton, {}, from);
        if (held)
            QTest::mouseMove(widget, to);
        if (held)
            QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
    }

    void press()
    {
        static constexpr std::array kKeys{Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,     Qt::Key_Down, Qt::Key_Return,
                                          Qt::Key_Tab,  Qt::Key_Space, Qt::Key_Escape, Qt::Key_Home, Qt::Key_End,
                                          Qt::Key_F,    Qt::Key_I,     Qt::Key_W,      Qt::Key_S,    Qt::Key_Delete,
                                          Qt::Key_Plus, Qt::Key_Minus, Qt::Key_F2,     Qt::Key_F6};
        m_did = QStringLiteral("key");
        QWidget *focus = m_window.focusWidget();
        const Qt::KeyboardModifiers modifiers = below(6) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
        QTest::keyClick(focus ? focus : &m_window, kKeys[static_cast<std::size_t>(below(kKeys.size()))], modifiers);
    }

    MainWindow &m_window;
    std::mt19937 m_random;
    QString m_did;
    QString m_slowest;
    qint64 m_slowestMs = 0;
};

} // namespace

class TestRandomUse : public WindowTest {
    Q_OBJECT

private slots:
    void anything_forAWhile_comesToRest()
    {
        const int seconds = qEnvironmentVariableIsSet("STAGECRAFT_RANDOM_USE_SECONDS")
                                ? qEnvironmentVariableIntValue("STAGECRAFT_RANDOM_USE_SECONDS")
                                : kSeconds;
        const auto seed = static_cast<std::uint32_t>(qEnvironmentVariableIntValue("STAGECRAFT_RANDOM_USE_SEED"));
        TestedWindow window(installedServices());
        window.show();
        openAndWait(window, QStringLiteral("squeezenet"));
        QTimer answers;
        connect(&answers, &QTimer::timeout, answerNothing);
        answers.start(30);
        RandomPerson person(window, seed);
        QElapsedTimer time;
        time.start();
        std::optional<Held> halfway;
        std::int64_t acts = 0;
        while (time.elapsed() < seconds * 1000LL) {
            person.act();
            ++acts;
            if (!halfway && time.elapsed() > seconds * 500LL)
                halfway = heldNow();
            if (acts % 400 == 0) {
                window.openPath(acts % 800 == 0 ? QStringLiteral("squeezenet") : QStringLiteral("sample"));
                if (seconds > kSeconds)
                    QTextStream(stdout) << time.elapsed() / 1000 << " s: " << text(heldNow()) << Qt::endl;
            }
        }
        QTextStream(stdout) << acts << " acts; slowest " << person.slowest() << Qt::endl;
        QVERIFY2(acts > seconds, qPrintable(person.slowest()));
        const auto areas = window.findChildren<Area *>();
        std::ranges::for_each(areas, &Area::cancel);
        const auto busy = [&] {
            QStringList names;
            for (const Area *area : areas) {
                if (area->isBusy())
                    names << QString::fromLatin1(area->metaObject()->className());
            }
            return names.join(QLatin1Char(' '));
        };
        QTRY_VERIFY2_WITH_TIMEOUT(busy().isEmpty(), qPrintable(busy()), 60'000);
        const Held end = heldNow();
        const QString both = QStringLiteral("%1 acts; halfway %2; in the end %3; slowest act %4")
                                 .arg(acts)
                                 .arg(text(*halfway), text(end), person.slowest());
        QTextStream(stdout) << both << Qt::endl;
        QVERIFY2(end.descriptors <= halfway->descriptors + 16, qPrintable(both));
        QVERIFY2(end.threads <= halfway->threads + 8, qPrintable(both));
        if (seconds > kSeconds) // what is opened and drawn first takes its place
            QVERIFY2(end.megabytes <= halfway->megabytes * 3 / 2 + 64, qPrintable(both));
    }
};

STAGECRAFT_SUITE(TestRandomUse)

} // namespace tst_random_use
#include "tst_random_use.moc"
