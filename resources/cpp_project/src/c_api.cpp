#include "stagecraft_model.h"

#include "stagecraft_model.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

struct stagecraft_model_network {
    stagecraft_model::Network network;
};

namespace {

using stagecraft_model::TensorInfo;

int failed(std::string_view reason, char *message, std::size_t size)
{
    if (message != nullptr && size > 0) {
        const std::size_t count = std::min(reason.size(), size - 1);
        std::memcpy(message, reason.data(), count);
        message[count] = '\0';
    }
    return 1;
}

const char *nameIn(const std::vector<TensorInfo> &tensors, std::size_t index)
{
    return index < tensors.size() ? tensors[index].name.c_str() : nullptr;
}

std::size_t shapeIn(const std::vector<TensorInfo> &tensors, std::size_t index, const std::int64_t **shape)
{
    if (index >= tensors.size())
        return 0;
    *shape = tensors[index].shape.data();
    return tensors[index].shape.size();
}

} // namespace

int stagecraft_model_load(const char *weights_file, const stagecraft_model_options *options,
                          stagecraft_model_network **network, char *message, size_t message_size)
{
    stagecraft_model::Options wanted;
    if (options != nullptr)
#ifdef STAGECRAFT_MODEL_CUDA
        wanted = {options->device, options->quick != 0};
#else
        wanted = {options->threads, options->pin != 0};
#endif
    try {
        auto loaded = stagecraft_model::Network::load(weights_file, wanted);
        if (!loaded)
            return failed(loaded.error().message, message, message_size);
        *network = new stagecraft_model_network{std::move(*loaded)};
        return 0;
    } catch (const std::exception &error) { // no memory
        return failed(error.what(), message, message_size);
    }
}

void stagecraft_model_free(stagecraft_model_network *network)
{
    delete network;
}

size_t stagecraft_model_input_count(const stagecraft_model_network *network)
{
    return network->network.inputs().size();
}

const char *stagecraft_model_input_name(const stagecraft_model_network *network, size_t index)
{
    return nameIn(network->network.inputs(), index);
}

size_t stagecraft_model_input_shape(const stagecraft_model_network *network, size_t index, const int64_t **shape)
{
    return shapeIn(network->network.inputs(), index, shape);
}

size_t stagecraft_model_output_count(const stagecraft_model_network *network)
{
    return network->network.outputs().size();
}

const char *stagecraft_model_output_name(const stagecraft_model_network *network, size_t index)
{
    return nameIn(network->network.outputs(), index);
}

size_t stagecraft_model_output_shape(const stagecraft_model_network *network, size_t index, const int64_t **shape)
{
    return shapeIn(network->network.outputs(), index, shape);
}

int stagecraft_model_run(const stagecraft_model_network *network, const float *const *inputs, float *const *outputs,
                         char *message, size_t message_size)
{
    try {
        std::vector<std::span<const float>> from;
        for (const TensorInfo &input : network->network.inputs())
            from.emplace_back(inputs[from.size()], input.elements());
        std::vector<std::span<float>> to;
        for (const TensorInfo &output : network->network.outputs())
            to.emplace_back(outputs[to.size()], output.elements());
        const auto error = network->network.run(from, to);
        return error ? failed(error->message, message, message_size) : 0;
    } catch (const std::exception &error) { // no memory
        return failed(error.what(), message, message_size);
    }
}
