#include "schedule/verify_words.h"

#include <fmt/format.h>
#include <utility>

namespace stagecraft {

std::string stageName(std::size_t index)
{
    return fmt::format("stage {}", index + 1);
}

tl::unexpected<Error> refusedOperator(const Graph &graph, OperatorId id, std::string reason)
{
    return within("operator " + graph.op(id).name, Error{ErrorCode::InvalidInput, std::move(reason), {}, {}});
}

tl::unexpected<Error> runsBefore(const Graph &graph, OperatorId reader, OperatorId producer)
{
    return refusedOperator(graph, reader, "runs before " + graph.op(producer).name + ", whose output it reads");
}

tl::unexpected<Error> runsConcurrently(const Graph &graph, OperatorId reader, OperatorId producer)
{
    return refusedOperator(
        graph, reader,
        fmt::format("runs concurrently with {}, whose output it reads, in another group of the stage",
                    graph.op(producer).name));
}

tl::unexpected<Error> isInAnotherBlock(const Graph &graph, OperatorId id, std::size_t own, std::size_t ofStage)
{
    return refusedOperator(graph, id,
                           fmt::format("belongs to block {}, and the stage to block {}", own + 1, ofStage + 1));
}

tl::unexpected<Error> runsAfterLaterBlock(const Graph &graph, OperatorId id, std::size_t own, std::size_t before)
{
    return refusedOperator(graph, id,
                           fmt::format("belongs to block {}, but runs after a stage of block {}", own + 1, before + 1));
}

} // namespace stagecraft
