#pragma once

// Keeps the threads of a team on processors of their own.
//
// Two threads that share a processor wait for each other at every operator: measured as 100 us per operator with two
// threads on two processors, one of them idle. Where the system refuses, threads stay where they are.

#include <span>
#include <vector>

namespace stagecraft::cpu {

// The processors this process may use; empty if the system does not tell.
[[nodiscard]] std::vector<int> usableProcessors();

// Pins one thread of the caller's OpenMP team to each processor, the calling thread to the first.
void pinTeam(std::span<const int> processors);

// Pins for the lifetime of the object; afterwards the team may run wherever the calling thread could before.
class TeamAffinity {
public:
    explicit TeamAffinity(std::span<const int> processors);
    ~TeamAffinity();
    TeamAffinity(const TeamAffinity &) = delete;
    TeamAffinity &operator=(const TeamAffinity &) = delete;

private:
    std::vector<int> m_before;
    int m_width;
};

} // namespace stagecraft::cpu
