#pragma once

// What becomes of the operators of a model file, by type: completes the counts of the import report
// (model/model.h, TypeReport).

#include "model/rewrite/pass.h"
#include "model/source_graph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace stagecraft {

class ImportOutcome {
public:
    // Looks at the operators as they were read. One of another source than a model file has nothing to count.
    explicit ImportOutcome(const SourceGraph &source);

    // Counts in `source.report`, after units were formed: what the passes took together, and what is opaque or refused
    // of the rest.
    void count(const std::vector<PassReport> &passes, SourceGraph &source) const;

private:
    struct Found {
        std::size_t op = 0;
        TypeReason::Outcome outcome = TypeReason::Outcome::Opaque;
        std::string operatorName;
        std::string reason;
    };

    std::vector<Found> m_found;
};

} // namespace stagecraft
