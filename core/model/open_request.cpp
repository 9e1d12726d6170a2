#include "model/open_request.h"

namespace stagecraft {

OpenRequest sameReading(const Model &model, std::int64_t batch)
{
    OpenRequest request{.spec = model.source, .batch = batch, .reading = model.reading};
    for (auto &[input, sizes] : request.reading.sizes) {
        if (!sizes.empty() && sizes.front() == model.graph->batch())
            sizes.front() = batch;
    }
    return request;
}

} // namespace stagecraft
