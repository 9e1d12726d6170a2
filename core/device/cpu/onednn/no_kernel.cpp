#include "device/cpu/onednn/no_kernel.h"

#include "operators/schema.h"

namespace stagecraft::cpu {

tl::unexpected<Error> noKernelFor(const Operator &op)
{
    std::string what = "cpu has no kernel for this operator of type " + displayType(op);
    if (op.outputs.size() > 1)
        what += " with " + std::to_string(op.outputs.size()) + " outputs";
    if (const std::string why = whyWithoutRule(op); !why.empty())
        what += ", because " + why;
    return fail(ErrorCode::InvalidInput, std::move(what),
                "use a simulated device for this model, or convert the operator away");
}

} // namespace stagecraft::cpu
