#pragma once

// The keys that a person gave entries of menus in place of their own, by the names of the entries (frame/actions.h),
// kept in the settings, and as a file for another machine. Lives on the UI thread.

#include "support/result.h"

#include <QKeySequence>
#include <QMap>
#include <QObject>
#include <QString>

namespace stagecraft {

using KeysByName = QMap<QString, QKeySequence>; // an empty sequence: the entry has no keys

// One for all windows of the program.
class OwnKeys : public QObject {
    Q_OBJECT

public:
    static OwnKeys &ofProgram(); // lives as long as the application

    [[nodiscard]] KeysByName all() const;
    void set(const KeysByName &keys); // of all entries that do not have their own

signals:
    void changed();

private:
    using QObject::QObject;
};

// Why no entry can have the keys, for people: panes use them by themselves. Empty: one can.
[[nodiscard]] QString whyNotOfAnEntry(const QKeySequence &keys);

[[nodiscard]] std::string keysText(const KeysByName &keys); // JSON
// Errors: InvalidInput, naming the entry where one is wrong.
[[nodiscard]] Result<KeysByName> keysFrom(const std::string &text);

} // namespace stagecraft
