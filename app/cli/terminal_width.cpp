#include "cli/terminal_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace stagecraft {

std::optional<int> terminalColumns(int descriptor)
{
    constexpr int kUsual = 80;
    if (isatty(descriptor) == 0)
        return std::nullopt;
    winsize size{};
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

} // namespace stagecraft
