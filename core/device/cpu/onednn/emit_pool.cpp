// Pooling.

#include "device/cpu/onednn/careful.h"
#include "device/cpu/onednn/emitter.h"
#include "device/cpu/onednn/primitives.h"

#include <algorithm>
#include <array>

namespace stagecraft::cpu {
namespace {

// oneDNN divides by the whole window. In ceiling mode the last windows reach past the padding of the model, and what
// lies there must not count.
void emitDivisors(Emitter &emitter, const Window &window, const dnnl::memory::dims &source, const Place &to)
{
    const auto dims = to.desc.dims();
    std::array<std::vector<float>, 2> factors; // by row, by column
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t end = source[axis + 2] + window.padding[axis + 2];
        for (std::int64_t i = 0; i < dims[axis + 2]; ++i) {
            std::int64_t counted = 0;
            for (std::int64_t k = 0; k < window.kernel[axis]; ++k)
                counted += i * window.stride[axis] - window.padding[axis] + k * window.dilation[axis] < end ? 1 : 0;
            factors[axis].push_back(static_cast<float>(window.kernel[axis]) /
                                    static_cast<float>(std::max<std::int64_t>(counted, 1)));
        }
    }
    const auto isOne = [](float factor) { return factor == 1; };
    if (std::ranges::all_of(factors[0], isOne) && std::ranges::all_of(factors[1], isOne))
        return;
    const bool regular = channelLayoutOf(to.desc).has_value();
    const Place target = regular ? to : emitter.inLayout(to, plainDesc(dims));
    emitter.host(
        [layout = *channelLayoutOf(target.desc), rows = factors[0],
         columns = factors[1]](std::span<float *const> pointers) {
            const auto width = static_cast<std::int64_t>(columns.size());
            for (std::int64_t image = 0; image < layout.batch; ++image) {
                for (std::int64_t channel = 0; channel < layout.channels; channel += layout.block) {
                    float *pixels = pointers[0] + layout.offset(image, channel);
                    for (std::int64_t pixel = 0; pixel < layout.pixels; ++pixel) {
                        const float factor = rows[static_cast<std::size_t>(pixel / width)] *
                                             columns[static_cast<std::size_t>(pixel % width)];
                        for (std::int64_t i = 0; factor != 1 && i < layout.block; ++i)
                            pixels[pixel * layout.block + i] *= factor;
                    }
                }
            }
        },
        {target});
    if (!regular)
        emitter.copy(target, to);
}

} // namespace

void emitPool(Emitter &emitter, const Operator &op)
{
    const Place from = emitter.input();
    const Place &to = emitter.place(op.outputs.front());
    if (op.pool()->mode == PoolAttributes::Mode::Max && emitter.isCareful()) {
        emitLargestCarefully(emitter, *op.pool(), from, to);
        return;
    }
    const auto desc = pooling(emitter.engine(), *op.pool(), from.desc, to.desc);
    emitter.primitive(dnnl::pooling_v2_forward(desc), {{DNNL_ARG_SRC, from, nullptr}, {DNNL_ARG_DST, to, nullptr}},
                      desc.scratchpad_desc());
    if (op.pool()->mode == PoolAttributes::Mode::Average && op.pool()->countIncludePad && !op.pool()->global)
        emitDivisors(emitter, op.pool()->window, from.desc.dims(), to);
}

} // namespace stagecraft::cpu
