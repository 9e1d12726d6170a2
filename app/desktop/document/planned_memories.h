#pragma once

// The memory that the document's results need, once it is planned. Lives on the UI thread.

#include "desktop/work/jobs.h"

#include <map>
#include <vector>

namespace stagecraft {

class Document;

class PlannedMemories {
public:
    explicit PlannedMemories(const Document &document) : m_document(document) {}

    [[nodiscard]] std::vector<MemoryToPlan> missing() const; // the current result first
    void keep(const std::vector<PlannedMemory> &planned);
    [[nodiscard]] const PlannedMemory *of(ResultId id) const; // null until planned

private:
    const Document &m_document;
    std::map<ResultId, PlannedMemory> m_memory;
};

} // namespace stagecraft
