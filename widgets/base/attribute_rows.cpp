// Operator attributes in readable form.

#include "graph/attribute_words.h"
#include "graph/graph.h"
#include "operators/schema.h"
#include "widgets/base/inspector_page.h"
#include "widgets/base/shown_name.h"

#include <QStringList>

namespace stagecraft {

std::vector<InspectorRow> attributeRows(const Operator &op)
{
    std::vector<InspectorRow> rows;
    for (const auto &[key, value] : attributeWords(op))
        rows.push_back(textRow(QString::fromStdString(key), QString::fromStdString(value)));
    return rows;
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
