#include "device/simulated/device_text.h"

#include "support/number_text.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stagecraft {

namespace {

// "DRAM bandwidth", but "resident blocks per SM".
std::string withinASentence(std::string_view label)
{
    std::string text(label);
    if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
}

} // namespace

std::string plain(double value)
{
    std::array<char, 400> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    return {text.data(), end.ptr};
}

std::string wantedText(const DeviceNumber &number)
{
    return "Give the " + withinASentence(number.label) + (number.whole ? " as a whole number" : "") +
           (number.unit.empty() ? "" : " in " + std::string(number.unit)) + ", from " + plain(number.minimum) + " to " +
           plain(number.maximum);
}

std::string spoken(const DeviceNumber &number, double value)
{
    const std::string label = withinASentence(number.label);
    if (number.whole && number.unit.empty())
        return plain(value) + " " + label;
    return label + " " + plain(value) + (number.unit.empty() ? "" : " " + std::string(number.unit));
}

Result<void> checkNumber(const DeviceNumber &number, double value)
{
    if (value >= number.minimum && value <= number.maximum && (!number.whole || value == std::floor(value)))
        return {};
    return fail(ErrorCode::InvalidInput, std::string(number.key) + " is " + exactText(value), wantedText(number));
}

} // namespace stagecraft
