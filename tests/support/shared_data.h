#pragma once

// Data beside the checkout that tests read where it is: profiles and kernels that others recorded.

#include "support/places.h"

#include <QFileInfo>
#include <QString>

namespace stagecraft::test {

// Empty where the checkout has no such file beside it: the test skips, with kNoSharedData as its reason.
inline QString sharedDataPath(const QString &path)
{
    const QString file = sourcePath("../shared/data/" + path);
    return QFileInfo::exists(file) ? file : QString();
}

inline constexpr const char *kNoSharedData = "the recorded data is not beside this checkout (../shared/data)";

} // namespace stagecraft::test
