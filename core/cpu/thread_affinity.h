#pragma once

// Keeps the threads of a team on processors of their own.
//
// Two threads that the system puts on one processor wait for each other with every operator: 100 us for each was
// measured with two threads on two processors, one of them idle. Where the system refuses, threads stay where they are.

#include <span>
#include <vector>

namespace stagecraft::cpu {

// The processors this process may use; nothing where the system does not say.
[[nodiscard]] std::vector<int> usableProcessors();

// One thread of the caller's OpenMP team per processor, the calling thread on the first.
void pinTeam(std::span<const int> processors);

// The same for the lifetime of the object; then the team may run wherever the calling thread could before.
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
