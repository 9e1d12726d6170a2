#pragma once

// What the benches of the window share: a line of percentiles, settings of their own, waiting until the window rests.

#include "bench/frame_times.h"
#include "support/tested_window.h"

#include <QApplication>
#include <QEventLoop>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace stagecraft::bench {

inline void printPercentiles(const char *what, std::vector<double> ms)
{
    std::ranges::sort(ms);
    const auto at = [&](std::size_t percent) { return ms[(ms.size() - 1) * percent / 100]; };
    std::printf("%-44s %5zu times  median %6.1f ms, 95 %% %6.1f ms, most %6.1f ms\n", what, ms.size(), at(50), at(95),
                ms.back());
}

// Settings in a temporary folder; made before the application.
class OwnSettings {
public:
    OwnSettings()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }

private:
    QTemporaryDir m_folder;
};

inline void settle(const MainWindow &window)
{
    do { // processEvents() with a limit of time would not sleep
        QEventLoop turn;
        QTimer::singleShot(5, &turn, &QEventLoop::quit);
        turn.exec();
    } while (!window.isSettled());
    QApplication::processEvents();
}

} // namespace stagecraft::bench
