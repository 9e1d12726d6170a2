#pragma once

// Two models that share a device: plans for both together are searched for like other results, and the panel says what
// each model takes under the one that is shown, where the time goes, and which plans no other beats in both.

#include "desktop/areas/area.h"
#include "desktop/document/results.h"
#include "desktop/work/result_queue.h"
#include "flow/co_run.h"
#include "widgets/study/together_facts.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace stagecraft {

class SearchLine;
class TogetherView;
struct SearchOptions;

class TogetherArea : public Area {
    Q_OBJECT

public:
    TogetherArea(const AreaContext &context, SearchLine &searches);

    void setOptions(const SearchOptions &options); // of the tool bar, for each model alone

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;

signals:
    void progressed(const QString &what, qint64 done, qint64 all); // of the search under way

private:
    // What the search has found of a union on a device, for as long as the window is open.
    struct Kept {
        RunContext settings;
        std::shared_ptr<const CoRunPlans> found;
    };
    // By row of the panel: on the shelf, or a plan that is not.
    using Shown = std::variant<ResultId, std::size_t>;
    struct Made {
        ResultId together, inTurn, sideBySide;
    };

    [[nodiscard]] QString whyNotPlan() const;
    void plan();
    [[nodiscard]] ResultQueue::Work workOn(const Made &made, const Target &target, const CoRunRequest &request);
    void keep(const Made &made, const RunContext &settings, const std::shared_ptr<const CoRunPlans> &found);
    void set(ResultId id, const CoRunPlans &found, const CoRunPlan &plan);
    void show();
    void choose(std::size_t row);
    void addShelf(TogetherFacts &facts);
    void addTimes(TogetherFacts &facts) const;
    [[nodiscard]] const Kept *kept() const; // of the model on the device; null: none

    SearchLine &m_searches;
    TogetherView *m_view;
    std::unique_ptr<SearchOptions> m_options;
    std::vector<Kept> m_kept;
    std::vector<Shown> m_rows;
};

} // namespace stagecraft
