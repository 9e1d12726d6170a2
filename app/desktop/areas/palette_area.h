#pragma once

// Finds anything by words: entries of menus, samples among them, results, operators, and controls in sight.

#include "desktop/areas/area.h"

#include <vector>

namespace stagecraft {

class ShelfArea;
struct Choice;

class PaletteArea : public Area {
    Q_OBJECT

public:
    PaletteArea(const AreaContext &context, const ShelfArea &shelf);

private:
    void show();
    void addEntries(std::vector<Choice> &choices) const;
    void addResults(std::vector<Choice> &choices) const;
    void addControls(std::vector<Choice> &choices) const;
    void addOperators(std::vector<Choice> &choices) const;

    const ShelfArea &m_shelf;
};

} // namespace stagecraft
