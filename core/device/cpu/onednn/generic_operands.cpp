#include "device/cpu/onednn/generic_operands.h"

#include "operators/parameter_values.h"

#include <algorithm>

namespace stagecraft::cpu {

Place plainOperand(Emitter &emitter, const Operator &, const Operand &operand)
{
    if (operand.tensor.isValid()) {
        const Place &place = emitter.place(operand.tensor);
        return emitter.inLayout(place, plainDesc(place.desc.dims()));
    }
    // A host kernel reads from the arena, so the constant is copied there first.
    const Place place = emitter.scratch(plainDesc(dimsOf(operand.constant->shape)));
    emitter.host([values = parameterValues(*operand.constant)](
                     std::span<float *const> pointers) { std::ranges::copy(*values, pointers[0]); },
                 {place});
    return place;
}

void emitPlain(Emitter &emitter, const Operator &op, const std::vector<Place> &operands, std::size_t index,
               std::function<void(std::span<const float *const>, float *)> kernel)
{
    const Place &to = emitter.place(op.outputs[index]);
    const Desc plain = plainDesc(to.desc.dims());
    const bool direct = to.desc == plain;
    const Place result = direct ? to : emitter.scratch(plain);
    std::vector<Place> places = operands;
    places.push_back(result);
    emitter.host(
        [kernel = std::move(kernel)](std::span<float *const> pointers) {
            const std::vector<const float *> from(pointers.begin(), pointers.end() - 1);
            kernel(from, pointers.back());
        },
        places);
    if (!direct)
        emitter.copy(result, to);
}

} // namespace stagecraft::cpu
