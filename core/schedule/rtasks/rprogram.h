#pragma once

// Operators split into rTasks that are placed on the virtual units of a device before anything runs. Source: Rammer (Ma
// et al., OSDI 2020), section 3, whose words these are.
//
//   rOperator     an operator, or one of several steps of it, as independent rTasks
//   rKernel       one way to compute an rOperator: the number of its rTasks and what each of them needs
//   virtual unit  what runs one rTask after another (vEU): a thread block of a persistent kernel, or a core
//   rProgram      for each unit its rTasks in order, and where it waits (barrier-rTasks)

#include "support/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft {

// What one rTask needs of a device, or what a virtual unit has for its rTasks.
struct UnitNeeds {
    int threads = 0;
    int registersPerThread = 0;
    std::int64_t sharedBytes = 0;

    friend bool operator==(const UnitNeeds &, const UnitNeeds &) = default;
};

struct RKernel {
    std::string name;
    std::int64_t rTasks = 0; // all equal
    UnitNeeds needs;         // of each rTask
    double aloneNs = 0;      // with the device to itself

    friend bool operator==(const RKernel &, const RKernel &) = default;
};

struct ROperator {
    OperatorId op;
    std::vector<RKernel> rKernels;    // the fastest alone first, the thriftiest last
    std::size_t chosen = 0;           // of the rKernels
    std::vector<std::uint32_t> reads; // rOperators whose output it reads

    [[nodiscard]] const RKernel &rKernel() const { return rKernels[chosen]; }

    friend bool operator==(const ROperator &, const ROperator &) = default;
};

struct RTask {
    std::uint32_t rOperator = 0;
    std::int64_t index = 0; // among those of its rKernel

    friend bool operator==(const RTask &, const RTask &) = default;
};

// Until all rTasks of these rOperators have ended, on whatever unit.
struct Wait {
    std::vector<std::uint32_t> rOperators;

    friend bool operator==(const Wait &, const Wait &) = default;
};

using UnitStep = std::variant<RTask, Wait>;

struct RProgram {
    std::vector<ROperator> rOperators;
    std::vector<std::vector<UnitStep>> units; // the steps of each virtual unit, in order

    friend bool operator==(const RProgram &, const RProgram &) = default;
};

// How many units with these needs are on the device together; 0: not even one.
using ResidentUnits = std::function<std::int64_t(const UnitNeeds &)>;

// What a unit needs that runs rTasks of all these rOperators: the most of everything.
[[nodiscard]] UnitNeeds greediest(const std::vector<ROperator> &rOperators);

} // namespace stagecraft
