#pragma once

// A guided first tour on the sample network: search, look, edit by hand, compare, save. A step that was done, by the
// person or by its button, gives way to the next one that was not.

#include "desktop/areas/area.h"
#include "desktop/dialogs/tour_card.h"

#include <functional>
#include <vector>

namespace stagecraft {

class OpenArea;
class SessionArea;
enum class Origin;

class TourArea : public Area {
    Q_OBJECT

public:
    TourArea(const AreaContext &context, OpenArea &open, const SessionArea &session);
    ~TourArea() override;

    void refresh() override;

private:
    struct Step {
        TourStep shown;
        std::function<bool()> isDone; // null: it is read
        std::function<void()> doIt = {};
    };

    void begin();
    void end();
    void showStep(std::size_t index); // from here on, the first that was not done
    [[nodiscard]] std::vector<Step> steps();
    [[nodiscard]] QString keysOf(std::string_view action) const;
    [[nodiscard]] bool isSampleOpen() const;
    [[nodiscard]] bool has(Origin origin) const; // a result of the sample that is made

    OpenArea &m_open;
    const SessionArea &m_session;
    TourCard *m_card = nullptr; // while it goes on
    std::vector<Step> m_steps;
    std::size_t m_step = 0;
};

} // namespace stagecraft
