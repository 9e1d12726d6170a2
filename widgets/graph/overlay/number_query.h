#pragma once

// Comparisons in what is looked for among operators: "flops > 50M", "latency >= 0.2 ms". The numbers are those that
// colour the graph (paint/heat_scale.h), and the places of operators: stage and block, from 1.

#include "widgets/graph/paint/heat_scale.h"

#include <QString>

#include <vector>

namespace stagecraft {

enum class NumberFact { Flops, Bytes, Latency, Utilisation, Lost, Stage, Block };

struct NumberQuery {
    enum class Relation { Less, LessOrEqual, Equal, NotEqual, GreaterOrEqual, Greater };

    NumberFact fact = NumberFact::Flops;
    Relation relation = Relation::Greater;
    double value = 0; // FLOP, bytes, microseconds, a share, or a number from 1

    [[nodiscard]] bool holds(double number) const;
};

struct ReadNumbers {
    std::vector<NumberQuery> queries;
    QString rest;    // the text without them
    QString trouble; // what is wrong and how to say it; empty: nothing
};

// A word before "<" or ">" and a number after it are a comparison, as is any of the facts before a relation. "=" behind
// another word is left to the text: "kernel=3x3".
[[nodiscard]] ReadNumbers readNumbers(const QString &text);

// Of each operator, with its unit in words; negative: unknown.
class OperatorNumbers {
public:
    OperatorNumbers(NumberFact fact, const HeatSource &source);

    [[nodiscard]] double of(OperatorId id) const { return m_heat.values[id.index()]; }
    [[nodiscard]] QString textOf(OperatorId id) const; // "52.1 MFLOP"; empty: unknown
    [[nodiscard]] QString whyUnknown() const;          // of all operators; empty: some are known

private:
    NumberFact m_fact;
    HeatScale m_heat;
};

} // namespace stagecraft
