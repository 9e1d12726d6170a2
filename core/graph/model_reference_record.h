#pragma once

// The members of what says which model something belongs to (graph/model_reference.h), for JSON.

#include "graph/model_reference.h"
#include "support/records/record.h"

namespace stagecraft {

// Written; results/files/session_json.cpp reads.
void eachMember(Of<Reading> auto &reading, auto &&visit)
{
    visit({"units", "what becomes a schedule unit: ios, tvm or none"}, reading.units);
    visit({"without", "passes that were left out"}, reading.without);
    visit({"shapes", "chosen sizes of inputs, by name", Unit::Count}, reading.sizes);
    visit({"splits", "into how many parts operators are split, by name", Unit::Count}, reading.splits,
          !reading.splits.empty());
    visit({"split_by_rows", "of these, those whose parts are rows instead of channels or columns"}, reading.splitByRows,
          !reading.splitByRows.empty());
    visit({"apart", "operators of the file that no pass makes part of another's unit"}, reading.apart,
          !reading.apart.empty());
    visit({"joined_after", "units whose block is one with the block after it"}, reading.joinedAfter,
          !reading.joinedAfter.empty());
    visit({"cut_after", "units after which their block is cut"}, reading.cutAfter, !reading.cutAfter.empty());
}

// Without the reading: a schedule file refers to operators by name.
void eachMember(Of<ModelReference> auto &model, auto &&visit)
{
    visit(Field{"name", "name of the model"}.required(), model.name);
    visit({"sha256", "of the file; of a built-in network empty"}, model.sha256);
}

} // namespace stagecraft
