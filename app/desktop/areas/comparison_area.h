#pragma once

// The comparison: the results that fit the next search, a row each.

#include "desktop/areas/area.h"
#include "results/schedule_result.h"

namespace stagecraft {

class ComparisonTable;

class ComparisonArea : public Area {
    Q_OBJECT

public:
    explicit ComparisonArea(const AreaContext &context);

    void setComparing(bool isComparing); // the search under way makes every kind

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void addTo(ExportSubject &subject) const override;

signals:
    void chosen(stagecraft::ResultId id); // for a menu

private:
    void showRows();
    void showChosenRow();

    ComparisonTable *m_comparison;
    bool m_isComparing = false;
};

} // namespace stagecraft
