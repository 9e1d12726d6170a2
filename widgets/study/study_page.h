#pragma once

// What the views of studies have in common: a form, a line of facts, and the content or a hint in its place.

class QLabel;
class QStackedLayout;
class QWidget;

namespace stagecraft {

class FactStrip;
class FormLines;

struct StudyPage {
    FactStrip *facts;
    QLabel *hint;
    QStackedLayout *stack; // the hint, then the content
};

// Lays them out in `view`, from top to bottom; `below` (may be null) is below the facts. The view may become smaller
// than its form in the narrowest panel, which would take the height of the schedule.
[[nodiscard]] StudyPage layOutStudy(QWidget *view, FormLines *form, QWidget *below, QWidget *content);

} // namespace stagecraft
