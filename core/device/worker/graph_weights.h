#pragma once

// Large values of a graph's constants, which travel to a worker elsewhere once: it keeps them, and later messages name
// them by their SHA-256. Small ones stay in the message.

#include <string>
#include <unordered_map>
#include <vector>

namespace stagecraft::worker {

class Graph;

// Leaves weights out of a message where they can be made at random: those of float32 whose role says so. Their names
// seed them.
void leaveOutWeights(Graph &message);

class GraphWeights {
public:
    // Takes the large values out of the message, and names them there.
    explicit GraphWeights(Graph &message);

    [[nodiscard]] const std::vector<std::string> &names() const { return m_names; } // each once
    [[nodiscard]] const std::string *find(const std::string &sha256) const;         // null: not of this graph

private:
    std::vector<std::string> m_names;
    std::unordered_map<std::string, std::string> m_values; // bytes by SHA-256 in hexadecimal
};

} // namespace stagecraft::worker
