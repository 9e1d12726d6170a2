#include "desktop/work/unexpected_reason.h"

#include <exception>
#include <new>

namespace stagecraft {

QString unexpectedReason()
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return QStringLiteral("there is not enough memory; use a smaller model or batch");
    } catch (const std::exception &exception) {
        return QStringLiteral("the program failed: %1; please report it").arg(QString::fromUtf8(exception.what()));
    } catch (...) {
        return QStringLiteral("the program failed; please report it");
    }
}

} // namespace stagecraft
