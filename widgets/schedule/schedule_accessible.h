#pragma once

// What a screen reader sees of a schedule: a tree of stages, each with its operators, as on the page. Lives on the UI
// thread.

namespace stagecraft {

class ScheduleView;

// Makes schedule views readable, from the first one on.
void installScheduleAccessibility();

// Where the focus is now, or, if another widget has it, what is selected.
void tellSelected(ScheduleView *view);
void tellOtherSchedule(ScheduleView *view);

} // namespace stagecraft
