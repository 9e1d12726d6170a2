// Operator attributes in readable form.

#include "graph/graph.h"
#include "operators/schema.h"
#include "widgets/base/format.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/shown_name.h"

#include <QStringList>

namespace stagecraft {
namespace {

QString sides(const std::array<std::int64_t, 2> &values)
{
    return QStringLiteral("%1 × %2").arg(values[0]).arg(values[1]);
}

QString paddingText(const std::array<std::int64_t, 4> &padding)
{
    const auto [top, left, bottom, right] = padding;
    if (top == left && top == bottom && top == right)
        return top == 0 ? QStringLiteral("none") : QStringLiteral("%1 on every side").arg(top);
    if (top == bottom && left == right)
        return QStringLiteral("%1 top and bottom, %2 left and right").arg(top).arg(left);
    return QStringLiteral("top %1, left %2, bottom %3, right %4").arg(top).arg(left).arg(bottom).arg(right);
}

QString activationText(const Activation &activation)
{
    const ActivationSchema &schema = activationSchema(activation.kind);
    QString text = QString::fromUtf8(schema.name.data(), static_cast<qsizetype>(schema.name.size()));
    if (schema.alpha)
        text += QStringLiteral(", alpha %1").arg(static_cast<double>(activation.alpha));
    if (schema.beta)
        text += QStringLiteral(", beta %1").arg(static_cast<double>(activation.beta));
    return text;
}

class RowMaker {
public:
    void operator()(const ConvAttributes &conv)
    {
        activation("Before", conv.before);
        add("Output channels", countText(conv.outChannels));
        window(conv.window);
        if (conv.groups != 1)
            add("Groups", countText(conv.groups));
        activation("Activation", conv.after);
    }

    void operator()(const SepConvAttributes &conv)
    {
        activation("Before", conv.before);
        add("Output channels", countText(conv.outChannels));
        window(conv.window);
        activation("Between", conv.between);
        activation("Activation", conv.after);
    }

    void operator()(const PoolAttributes &pool)
    {
        add("Mode", pool.mode == PoolAttributes::Mode::Max ? QStringLiteral("maximum") : QStringLiteral("average"));
        if (pool.global) {
            add("Window", QStringLiteral("the whole image"));
            return;
        }
        window(pool.window);
        if (pool.ceilMode)
            add("Rounding", QStringLiteral("up"));
        if (pool.mode == PoolAttributes::Mode::Average)
            add("Padding counts", pool.countIncludePad ? QStringLiteral("yes") : QStringLiteral("no"));
    }

    void operator()(const GemmAttributes &gemm)
    {
        add("Features", QStringLiteral("%1 → %2").arg(countText(gemm.inFeatures), countText(gemm.outFeatures)));
        if (gemm.transposeB)
            add("Weight", QStringLiteral("transposed"));
        activation("Activation", gemm.after);
    }

    void operator()(const Activation &each) { activation("Function", each); }

    void operator()(const FusedAttributes &fused)
    {
        for (const Operator &op : fused.body->operators())
            rows.push_back(textRow(QString::fromStdString(displayType(op)), shownName(op.name)));
    }

    void operator()(const GenericAttributes &generic)
    {
        for (const auto &[name, value] : generic.values)
            rows.push_back(textRow(QString::fromStdString(name), QString::fromStdString(toString(value))));
    }

    std::vector<InspectorRow> rows;

private:
    void add(const char *key, const QString &value) { rows.push_back(textRow(QString::fromLatin1(key), value)); }

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

std::vector<InspectorRow> attributeRows(const Operator &op)
{
    RowMaker maker;
    std::visit(maker, op.attributes);
    return std::move(maker.rows);
}

QString expressionText(const Graph &graph, const Operator &op)
{
    QStringList parts;
    for (const auto &part : op.inputs) {
        QStringList summands;
        for (const TensorId tensor : part)
            summands << shownName(graph.tensor(tensor).name);
        parts << summands.join(QStringLiteral(" + "));
    }
    const QString joined = parts.join(QStringLiteral(", "));
    return parts.size() > 1 && kindSchema(op.kind).expressionInput ? QStringLiteral("concat(%1)").arg(joined) : joined;
}

} // namespace stagecraft
