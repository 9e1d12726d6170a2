#include "widgets/graph/paint/graph_labels.h"

#include "operators/schema.h"
#include "widgets/base/fitted_name.h"
#include "widgets/base/format.h"
#include "widgets/base/shown_name.h"

#include <QFontMetricsF>
#include <QHash>
#include <QStringList>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr double kMinCardWidth = 132;
constexpr double kMaxCardWidth = 208;
constexpr double kCardHeight = 60;
constexpr double kTerminalHeight = 40;
constexpr double kFoldedHeight = 52;
constexpr double kTitlePadding = 34; // the fold mark and some space

QString product(const std::array<std::int64_t, 2> &sides)
{
    return QStringLiteral("%1×%2").arg(sides[0]).arg(sides[1]);
}

QString windowText(const Window &window)
{
    QString text = product(window.kernel);
    if (window.stride[0] != 1 || window.stride[1] != 1) {
        text += window.stride[0] == window.stride[1] ? QStringLiteral(" /%1").arg(window.stride[0])
                                                     : QStringLiteral(" /%1").arg(product(window.stride));
    }
    return text;
}

// Without the batch, which is the same for all tensors.
QString imageText(const Shape &shape)
{
    if (!shape.known)
        return QStringLiteral("shape unknown");
    QStringList dims;
    for (std::size_t i = shape.dims.size() > 1 ? 1 : 0; i < shape.dims.size(); ++i)
        dims << QString::number(shape.dims[i]);
    return dims.isEmpty() ? QStringLiteral("scalar") : dims.join(QChar(0xd7));
}

// Measures each text once: types and shapes repeat, and measuring dominates the cost of labels.
class Measure {
public:
    explicit Measure(const QFont &font) : m_metrics(font), m_wholeMetrics(font) {}

    double width(const QString &text) const
    {
        const auto known = m_widths.constFind(text);
        return known != m_widths.constEnd() ? *known : *m_widths.insert(text, m_metrics.horizontalAdvance(text));
    }

    QString elided(const QString &text, Qt::TextElideMode mode, double room) const
    {
        return width(text) <= room ? text : m_metrics.elidedText(text, mode, room);
    }

    QString fitted(const QString &name, double room) const
    {
        return width(name) <= room ? name : fittedName(name, m_wholeMetrics, static_cast<int>(room));
    }

private:
    QFontMetricsF m_metrics;
    QFontMetrics m_wholeMetrics;
    mutable QHash<QString, double> m_widths;
};

class LabelMaker {
public:
    LabelMaker(const Graph &graph, const QFont &base)
        : m_graph(graph), m_fonts(graphFonts(base)), m_type(m_fonts.type), m_large(m_fonts.large), m_name(m_fonts.name),
          m_small(m_fonts.largeName), m_title(m_fonts.title)
    {
    }

    CardLabel operatorLabel(OperatorId id, QSizeF &size) const
    {
        const Operator &op = m_graph.op(id);
        const QString kernel = kernelText(op);
        const QString shape = imageText(m_graph.outputShape(id));
        const QString type = shownName(displayType(op));
        return fitted({type, type, kernel, shownName(op.name), QString(),
                       kernel.isEmpty() ? shape : QStringLiteral("%1 · %2").arg(kernel, shape)},
                      kCardHeight, kBadgeWidth, size);
    }

    CardLabel terminalLabel(const char *type, TensorId id, QSizeF &size) const
    {
        const Tensor &tensor = m_graph.tensor(id);
        return fitted({QLatin1String(type),
                       QLatin1String(type),
                       {},
                       shownName(tensor.name),
                       {},
                       QStringLiteral("%1 · %2").arg(QLatin1String(type), imageText(tensor.shape))},
                      kTerminalHeight, 0, size);
    }

    double titleWidth(const QString &title) const { return m_title.width(title) + kTitlePadding; }

private:
    CardLabel fitted(CardLabel label, double height, double badge, QSizeF &size) const
    {
        const double wished = std::max({m_type.width(label.type) + badge, m_name.width(label.name),
                                        m_large.width(label.shortType), m_name.width(label.detail)}) +
                              2 * kCardPadding;
        const double width = std::ceil(std::clamp(wished, kMinCardWidth, kMaxCardWidth));
        const double room = width - 2 * kCardPadding;
        label.type = m_type.elided(label.type, Qt::ElideRight, room - badge);
        label.shortType = m_large.elided(label.shortType, Qt::ElideRight, room);
        label.shortName = m_small.elided(label.name, Qt::ElideLeft, room - kLargeBadgeWidth - 4); // ends differ
        label.name = m_name.fitted(label.name, room);
        label.detail = m_name.elided(label.detail, Qt::ElideRight, room);
        size = QSizeF(width, height);
        return label;
    }

    const Graph &m_graph;
    GraphFonts m_fonts;
    Measure m_type;
    Measure m_large;
    Measure m_name;
    Measure m_small;
    Measure m_title;
};

} // namespace

GraphFonts graphFonts(const QFont &base)
{
    const auto font = [&](int pixels, QFont::Weight weight) {
        QFont result = base;
        result.setPixelSize(pixels);
        result.setWeight(weight);
        result.setHintingPreference(QFont::PreferNoHinting); // the same text at every zoom
        return result;
    };
    return {font(13, QFont::DemiBold), font(18, QFont::DemiBold), font(11, QFont::Normal),
            font(11, QFont::DemiBold), font(12, QFont::DemiBold), font(15, QFont::Normal)};
}

QString kernelText(const Operator &op)
{
    if (const ConvAttributes *conv = op.conv() ? op.conv() : op.convTranspose())
        return windowText(conv->window);
    if (op.sepConv())
        return windowText(op.sepConv()->window);
    if (op.pool())
        return op.pool()->global ? QString() : windowText(op.pool()->window);
    if (op.gemm())
        return QStringLiteral("%1 → %2").arg(op.gemm()->inFeatures).arg(op.gemm()->outFeatures);
    return {};
}

GraphLabels graphLabels(const Graph &graph, const Blocks &blocks, const QFont &base, const TerminalWords &words)
{
    const LabelMaker maker(graph, base);
    GraphLabels labels;
    DrawingOptions &sizes = labels.sizes;
    labels.operators.resize(graph.size());
    sizes.operatorSizes.resize(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i)
        labels.operators[i] = maker.operatorLabel(OperatorId::fromIndex(i), sizes.operatorSizes[i]);
    for (const TensorId input : graph.inputs())
        labels.inputs.push_back(maker.terminalLabel(words.input, input, sizes.inputSizes.emplace_back()));
    for (const TensorId output : graph.outputs())
        labels.outputs.push_back(maker.terminalLabel(words.output, output, sizes.outputSizes.emplace_back()));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        labels.blockTitles.push_back(
            QStringLiteral("%1 · %2 · width %3")
                .arg(blockTitle(i), plural(static_cast<std::int64_t>(blocks[i].operators.size()), "operator"))
                .arg(width(graph, blocks[i])));
        sizes.titleWidths.push_back(maker.titleWidth(labels.blockTitles.back()));
        labels.shortTitleWidths.push_back(maker.titleWidth(blockTitle(i)));
        sizes.foldedSizes.emplace_back(sizes.titleWidths.back() + 2 * kCardPadding, kFoldedHeight);
    }
    return labels;
}

} // namespace stagecraft
