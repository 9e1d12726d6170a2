#pragma once

// Which files a person wants to open: the dialogs of the system. Lives on the UI thread.

#include <QString>
#include <QStringList>

class QWidget;

namespace stagecraft {

[[nodiscard]] QStringList askForModels(QWidget *parent); // or sessions, or profiles; none: cancelled
[[nodiscard]] QString askForSchedule(QWidget *parent);   // empty: cancelled

} // namespace stagecraft
