#include "widgets/base/theme.h"

#include "schedule/stage_colours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft {
namespace {

// Viridis at nine stops.
constexpr std::array kHeat{0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};

QColor rgb(int value)
{
    return QColor::fromRgb(static_cast<QRgb>(value));
}

// Of WCAG 2.1.
double luminance(const QColor &colour)
{
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrastOf(double luminance, double other)
{
    return (std::max(luminance, other) + 0.05) / (std::min(luminance, other) + 0.05);
}

} // namespace

QColor Theme::stageFill(std::size_t stage) const
{
    const auto &palette = dark ? kStageDark : kStageLight;
    return rgb(palette[stage % palette.size()]);
}

QColor Theme::stageOutline(std::size_t stage) const
{
    const QColor fill = stageFill(stage);
    return dark ? fill.lighter(150) : fill.darker(150);
}

QColor Theme::onFill(const QColor &fill) const
{
    // The last two are readable on any fill, but hard beside softened colours.
    static const std::array kInks{rgb(0x141a21), rgb(0xf7f9fb), rgb(0x000000), rgb(0xffffff)};
    static const std::array kLuminances{luminance(kInks[0]), luminance(kInks[1]), 0.0, 1.0};
    const double under = luminance(fill);
    const auto on = [under](std::size_t ink) { return contrastOf(kLuminances[ink], under); };
    const std::size_t soft = on(0) >= on(1) ? 0 : 1;
    if (on(soft) >= kReadable)
        return kInks[soft];
    return kInks[on(soft + 2) >= kReadable ? soft + 2 : 3 - soft];
}

QColor Theme::heat(double share) const
{
    const double position = std::clamp(share, 0.0, 1.0) * (kHeat.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(position), kHeat.size() - 2);
    const double t = position - static_cast<double>(below);
    const QColor a = rgb(kHeat[below]);
    const QColor b = rgb(kHeat[below + 1]);
    return QColor::fromRgbF(static_cast<float>(a.redF() + t * (b.redF() - a.redF())),
                            static_cast<float>(a.greenF() + t * (b.greenF() - a.greenF())),
                            static_cast<float>(a.blueF() + t * (b.blueF() - a.blueF())));
}

QColor Theme::provenance(Provenance provenance) const
{
    switch (provenance) {
    case Provenance::Measured: return dark ? rgb(0x4fc08d) : rgb(0x1b7f56);
    case Provenance::Recorded: return dark ? rgb(0xe0a33e) : rgb(0x9a6200);
    case Provenance::Simulated: return dark ? rgb(0x9b95f0) : rgb(0x5750c4);
    case Provenance::Assumed: return mutedText;
    }
    return text;
}

QColor Theme::line(std::size_t index) const
{
    const std::array lines{accent, dark ? rgb(0xf2a65a) : rgb(0xa65500), dark ? rgb(0xd79bd1) : rgb(0x8e3b86),
                           mutedText};
    return lines[index % lines.size()];
}

double contrast(const QColor &a, const QColor &b)
{
    return contrastOf(luminance(a), luminance(b));
}

QColor mixed(const QColor &a, const QColor &b, double share)
{
    const auto mix = [share](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
    return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

Theme themeFor(const QPalette &palette)
{
    Theme theme;
    theme.dark = palette.color(QPalette::Window).lightness() < 128;
    if (theme.dark) {
        theme.canvas = rgb(0x171b21);
        theme.panel = rgb(0x1e242c);
        theme.border = rgb(0x333c47);
        theme.grid = rgb(0x2a323c);
        theme.text = rgb(0xe3e8ee);
        theme.mutedText = rgb(0x96a2b0);
        theme.edge = rgb(0x6b7785);
        theme.accent = rgb(0x4aa8ff);
        theme.mergeMark = rgb(0xe0a33e);
        theme.warning = rgb(0xe0a33e);
        theme.error = rgb(0xff6b6b);
        theme.faster = rgb(0x3fbfb0);
        theme.slower = rgb(0xf08a5d);
    } else {
        theme.canvas = rgb(0xffffff);
        theme.panel = rgb(0xf5f7f9);
        theme.border = rgb(0xd5dbe1);
        theme.grid = rgb(0xe8ecf0);
        theme.text = rgb(0x1c2530);
        theme.mutedText = rgb(0x64707d);
        theme.edge = rgb(0x87929e);
        theme.accent = rgb(0x0b6bcb);
        theme.mergeMark = rgb(0x9a6200);
        theme.warning = rgb(0x9a6200);
        theme.error = rgb(0xc0322b);
        theme.faster = rgb(0x00746b);
        theme.slower = rgb(0xb3400a);
    }
    return theme;
}

} // namespace stagecraft
