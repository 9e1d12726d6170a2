#pragma once

// What a profile of another program took for the operators of a stage, beside the stage's own latency.

#include <QString>

namespace stagecraft {

struct ProfiledTime {
    QString name;   // of the result
    QString device; // that the profile names
    double us = 0;  // while a kernel of one of the operators ran

    friend bool operator==(const ProfiledTime &, const ProfiledTime &) = default;
};

} // namespace stagecraft
