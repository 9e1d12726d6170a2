#include "graph/attribute_words.h"

#include "operators/schema.h"
#include "support/number_text.h"
#include "support/shown_text.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

namespace stagecraft {
namespace {

std::string sides(const std::array<std::int64_t, 2> &values)
{
    return fmt::format("{} × {}", values[0], values[1]);
}

std::string paddingText(const std::array<std::int64_t, 4> &padding)
{
    const auto [top, left, bottom, right] = padding;
    if (top == left && top == bottom && top == right)
        return top == 0 ? "none" : fmt::format("{} on every side", top);
    if (top == bottom && left == right)
        return fmt::format("{} top and bottom, {} left and right", top, left);
    return fmt::format("top {}, left {}, bottom {}, right {}", top, left, bottom, right);
}

std::string activationText(const Activation &activation)
{
    const ActivationSchema &schema = activationSchema(activation.kind);
    std::string text(schema.name);
    if (schema.alpha)
        text += fmt::format(", alpha {:.6g}", static_cast<double>(activation.alpha));
    if (schema.beta)
        text += fmt::format(", beta {:.6g}", static_cast<double>(activation.beta));
    return text;
}

class WordMaker {
public:
    void operator()(const ConvAttributes &conv)
    {
        activation("Before", conv.before);
        add("Output channels", grouped(conv.outChannels));
        window(conv.window);
        if (conv.groups != 1)
            add("Groups", grouped(conv.groups));
        activation("Activation", conv.after);
    }

    void operator()(const SepConvAttributes &conv)
    {
        activation("Before", conv.before);
        add("Output channels", grouped(conv.outChannels));
        window(conv.window);
        activation("Between", conv.between);
        activation("Activation", conv.after);
    }

    void operator()(const PoolAttributes &pool)
    {
        add("Mode", pool.mode == PoolAttributes::Mode::Max ? "maximum" : "average");
        if (pool.global) {
            add("Window", "the whole image");
            return;
        }
        window(pool.window);
        if (pool.ceilMode)
            add("Rounding", "up");
        if (pool.mode == PoolAttributes::Mode::Average)
            add("Padding counts", pool.countIncludePad ? "yes" : "no");
    }

    void operator()(const GemmAttributes &gemm)
    {
        add("Features", fmt::format("{} → {}", grouped(gemm.inFeatures), grouped(gemm.outFeatures)));
        if (gemm.transposeB)
            add("Weight", "transposed");
        activation("Activation", gemm.after);
    }

    void operator()(const Activation &each) { activation("Function", each); }

    void operator()(const FusedAttributes &fused)
    {
        for (const Operator &op : fused.body->operators())
            add(displayType(op), shownText(op.name));
    }

    void operator()(const GenericAttributes &generic)
    {
        for (const auto &[name, value] : generic.values)
            add(name, toString(value));
    }

    std::vector<AttributeWords> words;

private:
    void add(std::string key, std::string value) { words.push_back({std::move(key), std::move(value)}); }

    void activation(const char *key, const Activation &each)
    {
        if (each.kind != ActivationKind::None)
            add(key, activationText(each));
    }

    void window(const Window &each)
    {
        add("Kernel", sides(each.kernel));
        add("Stride", sides(each.stride));
        add("Padding", paddingText(each.padding));
        if (each.dilation != std::array<std::int64_t, 2>{1, 1})
            add("Dilation", sides(each.dilation));
    }
};

} // namespace

std::vector<AttributeWords> attributeWords(const Operator &op)
{
    WordMaker maker;
    std::visit(maker, op.attributes);
    return std::move(maker.words);
}

} // namespace stagecraft
