#pragma once

// The selection shared by all views: selecting in one selects in all. Lives on the UI thread.

#include "support/ids.h"

#include <QObject>

#include <cstddef>
#include <optional>

namespace stagecraft {

class Graph;
struct TimedSchedule;

struct Selected {
    std::optional<OperatorId> op;
    std::optional<std::size_t> stage; // of the current schedule; set with `op` if the schedule has that operator
    std::optional<std::size_t> block = std::nullopt; // of the model; set on its own

    friend bool operator==(const Selected &, const Selected &) = default;
};

// What selects a stage of the schedule, or a launch where it has streams.
[[nodiscard]] Selected selectedAt(const TimedSchedule &schedule, std::size_t stage);

// An operator, with its stage where the schedule has one. Null: there is no schedule.
[[nodiscard]] Selected selectedOperator(const Graph &graph, const TimedSchedule *schedule, OperatorId op);

class Selection : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] const Selected &current() const { return m_current; }
    void set(Selected selected);
    void clear() { set({}); }

signals:
    void changed(const stagecraft::Selected &selected);

private:
    Selected m_current;
};

} // namespace stagecraft
