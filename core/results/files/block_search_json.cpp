#include "results/files/block_search_json.h"

#include "results/files/schedule_parts.h"
#include "support/records/json_record.h"

namespace stagecraft {

std::vector<NamedRunnerUp> namedRunnersUp(const BlockSearch &block, const OperatorNames &names)
{
    std::vector<NamedRunnerUp> named;
    for (const RunnerUp &other : block.runnersUp)
        named.push_back({namedGroups(names, other.stage), other});
    return named;
}

nlohmann::ordered_json blockSearchJson(const BlockSearch &block, const OperatorNames &names)
{
    auto json = jsonOf(block);
    json["runners_up"] = jsonOf(namedRunnersUp(block, names));
    return json;
}

} // namespace stagecraft
