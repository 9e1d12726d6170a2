#pragma once

// What the panel Passes says of each pass and of each of its changes, as values.

#include "model/model.h"
#include "model/rewrite/pass.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stagecraft {

struct PassRow {
    QString name;
    QString what;         // one sentence
    QString outcome;      // "12 operators", "nothing to do", "off"
    QString shortOutcome; // with little room: "12"
    QString whyNot;       // it does not run; empty: it does
    bool isOn = false;
    bool canSwitch = true; // false: it has no effect on these units
    std::int64_t operators = 0;
};

// Null if the pass did not run.
[[nodiscard]] const PassReport *reportOf(const Model &model, std::string_view pass);

// In the order in which they run.
[[nodiscard]] std::vector<PassRow> passRows(const Model &model);

// The operators that became part of one unit by a pass, or one that is no longer needed.
struct PassChangeRow {
    std::vector<std::size_t> changes; // indices into the report
    OperatorId unit = {};             // invalid: not needed
};

[[nodiscard]] std::vector<PassChangeRow> passChangeRows(const PassReport &report);

[[nodiscard]] QString beforeText(const PassReport &report, const PassChangeRow &row); // "relu1 Relu, pad1 Pad"
[[nodiscard]] QString afterText(const Model &model, const PassReport &report, const PassChangeRow &row);

} // namespace stagecraft
