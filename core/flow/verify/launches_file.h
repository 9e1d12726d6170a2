#pragma once

// Files of launches, version 1: the plan of any program, as its host gives it to the device.
//
//   {"kind": "launches", "version": 1,
//    "origin": "main",                                      a stream from which all of it is captured; may be absent
//    "memory": ["x",                                        with bytes of its own
//               {"name": "y", "arena": "pool", "begin": 0, "end": 4096, "output": true},    read after the last step
//               {"name": "z", "of": "y", "begin": 0, "end": 1024}],          a part of y: its bytes, counted within it
//    "steps": [{"launch": "a", "stream": "main", "reads": ["x"], "writes": ["y"], "workspace": []},
//              {"record": "e", "stream": "main"},           an event
//              {"wait": "e", "stream": "side"},
//              {"synchronize": true}]}                      the host waits for all; not in a capture

#include "plan/launched_program.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace stagecraft {

// Whether it says to be one; it may be damaged.
[[nodiscard]] bool isLaunchesFile(std::string_view text);

// Refuses, naming the step: names of memory that are not listed, bytes that are none, steps that are none of these,
// memory that is a workspace in one step and read in another, or an output.
// Streams and events are those that steps name.
[[nodiscard]] Result<plan::LaunchedProgram> programFromLaunches(std::string_view text);

} // namespace stagecraft
