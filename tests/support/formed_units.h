#pragma once

#include "model/rewrite/form_units.h"
#include "operators/schema.h"

#include <QString>
#include <QStringList>

namespace stagecraft::test {

// The units alone.
inline Result<Graph> formedUnits(Graph graph, const std::set<std::string> &keptApart = {}, const Reading &reading = {})
{
    return formUnits(std::move(graph), keptApart, reading).map([](FormedUnits &&formed) {
        return std::move(formed.graph);
    });
}

// "name:Type" in the graph's order.
inline QString listing(const Graph &graph)
{
    QStringList items;
    for (const Operator &op : graph.operators())
        items << QString::fromStdString(op.name + ":" + displayType(op));
    return items.join(' ');
}

} // namespace stagecraft::test
