#include "device/worker/graph_weights.h"

#include <worker.pb.h>

#include "operators/values/tensor.h"
#include "support/sha256.h"

#include <utility>

namespace stagecraft::worker {
namespace {

constexpr std::size_t kLarge = 4096; // bytes
constexpr int kFloats = 0;           // which alternative of ConstantValues

} // namespace

void leaveOutWeights(Graph &message)
{
    for (Operator &op : *message.mutable_operators()) {
        for (Parameter &parameter : *op.mutable_parameters()) {
            const bool isWeight = parameter.role().ends_with("weight") && parameter.stored() == kFloats &&
                                  parameter.type() == static_cast<int>(DataType::Float32);
            if (!isWeight || parameter.values().size() < kLarge)
                continue;
            parameter.clear_values();
            parameter.set_seeded(true);
        }
    }
}

GraphWeights::GraphWeights(Graph &message)
{
    for (Operator &op : *message.mutable_operators()) {
        for (Parameter &parameter : *op.mutable_parameters()) {
            if (parameter.values().size() < kLarge)
                continue;
            std::string name = sha256(parameter.values());
            parameter.set_sha256(name);
            if (m_values.emplace(name, std::move(*parameter.mutable_values())).second)
                m_names.push_back(std::move(name));
            parameter.clear_values();
        }
    }
}

const std::string *GraphWeights::find(const std::string &sha256) const
{
    const auto found = m_values.find(sha256);
    return found == m_values.end() ? nullptr : &found->second;
}

} // namespace stagecraft::worker
