#include "flow/open/model_reading.h"

namespace stagecraft {
ModelReadOptions readOptions(const Reading &reading, std::int64_t batch)
{
    ModelReadOptions options;
    options.batch = batch;
    options.reading = reading;
    return options;
}

ModelReadOptions sameReading(const Model &model, std::int64_t batch)
{
    ModelReadOptions options = readOptions(model.reading, batch);
    for (auto &[input, shape] : options.reading.sizes) {
        if (!shape.empty() && shape.front() == model.graph->batch())
            shape.front() = batch;
    }
    return options;
}

} // namespace stagecraft
