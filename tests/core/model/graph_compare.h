#pragma once

// Structural comparison of two graphs: same operators in the same order with the same attributes, inputs and shapes;
// names may differ.

#include "graph/graph.h"
#include "operators/schema.h"

#include <QString>

#include <string>
#include <unordered_map>

namespace stagecraft::test {

inline QString text(const std::string &value)
{
    return QString::fromStdString(value);
}

inline QString describe(const Error &error)
{
    QString line;
    for (const std::string &where : error.context)
        line += text(where) + ": ";
    return line + text(error.message);
}

// Inputs as positions: negative for graph inputs, otherwise the index of the operator.
inline std::string structure(const Graph &graph, const Operator &op)
{
    std::string line = displayType(op);
    for (const auto &part : op.inputs) {
        line += " |";
        for (const TensorId input : part) {
            const OperatorId producer = graph.tensor(input).producer;
            line += producer.isValid() ? " " + std::to_string(producer.value) : " input";
        }
    }
    return line + " -> " + toString(graph.tensor(op.outputs.front()).shape);
}

// Empty if equal, otherwise the first difference.
inline QString difference(const Graph &actual, const Graph &expected)
{
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        const Operator &a = actual.operators()[i];
        const Operator &e = expected.operators()[i];
        const std::string left = structure(actual, a);
        const std::string right = structure(expected, e);
        if (left != right)
            return QString("operator %1 %2: %3, expected %4").arg(i).arg(text(a.name), text(left), text(right));
        if (a.attributes != e.attributes)
            return QString("operator %1 %2: other attributes than %3").arg(i).arg(text(a.name), text(e.name));
        if (a.parameters.size() != e.parameters.size())
            return QString("operator %1 %2: %3 parameters").arg(i).arg(text(a.name)).arg(a.parameters.size());
        for (std::size_t p = 0; p < a.parameters.size(); ++p) {
            if (a.parameters[p].role != e.parameters[p].role || a.parameters[p].shape != e.parameters[p].shape)
                return QString("operator %1 %2: parameter %3").arg(i).arg(text(a.name)).arg(p);
        }
    }
    if (actual.size() != expected.size())
        return QString("%1 operators, expected %2").arg(actual.size()).arg(expected.size());
    return {};
}

} // namespace stagecraft::test
