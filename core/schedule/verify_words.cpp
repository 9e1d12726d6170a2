#include "schedule/verify_words.h"

#include <utility>

namespace stagecraft {

namespace {

std::string blockName(std::size_t index)
{
    return "block " + std::to_string(index + 1);
}

} // namespace

std::string stageName(std::size_t index)
{
    return "stage " + std::to_string(index + 1);
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
    return refusedOperator(graph, reader,
                           "runs concurrently with " + graph.op(producer).name +
                               ", whose output it reads, in another group of the stage");
}

tl::unexpected<Error> isInAnotherBlock(const Graph &graph, OperatorId id, std::size_t own, std::size_t ofStage)
{
    return refusedOperator(graph, id, "belongs to " + blockName(own) + ", and the stage to " + blockName(ofStage));
}

tl::unexpected<Error> runsAfterLaterBlock(const Graph &graph, OperatorId id, std::size_t own, std::size_t before)
{
    return refusedOperator(graph, id,
                           "belongs to " + blockName(own) + ", but runs after a stage of " + blockName(before));
}

} // namespace stagecraft
