// Multiply-adds of products, convolutions and recurrent layers that are kept as in the file.

#include "operators/folding/product_costs.h"

#include "operators/kernels/einsum.h"
#include "operators/schema.h"

#include <algorithm>

namespace stagecraft::product_costs {
namespace {

std::int64_t elementsFrom(const Shape &shape, std::size_t first)
{
    std::int64_t product = 1;
    for (std::size_t axis = first; axis < shape.dims.size(); ++axis)
        product *= shape.dims[axis];
    return product;
}

double outputsTimes(const Shape &output, std::int64_t each)
{
    return static_cast<double>(output.elements()) * static_cast<double>(each);
}

// Operands of QLinear types have a scale and a zero point each.
std::size_t weightPlace(const NodeFacts &node)
{
    return node.type.find("QLinear") == std::string::npos ? 1 : 3;
}

} // namespace

double convolution(const NodeFacts &node, const Shape &output)
{
    const std::size_t weight = weightPlace(node);
    return node.has(weight) ? outputsTimes(output, elementsFrom(node.shape(weight), 1)) : 0;
}

double transposedConvolution(const NodeFacts &node, const Shape &)
{
    return node.has(1) ? outputsTimes(node.shape(0), elementsFrom(node.shape(1), 1)) : 0;
}

double matrixProduct(const NodeFacts &node, const Shape &output)
{
    const auto &dims = node.shape(0).dims;
    return dims.empty() ? 0 : outputsTimes(output, dims.back());
}

double generalProduct(const NodeFacts &node, const Shape &output)
{
    const auto &dims = node.shape(0).dims;
    return dims.size() != 2 ? 0 : outputsTimes(output, dims[node.integer("transA") != 0 ? 0 : 1]);
}

// X (length x batch x inputs), W (directions x rows x inputs), R (directions x rows x hidden)
double recurrent(const NodeFacts &node, const Shape &)
{
    if (!node.has(1) || !node.has(2) || node.shape(0).dims.size() != 3)
        return 0;
    const auto &x = node.shape(0).dims;
    return static_cast<double>(x[0] * x[1]) * static_cast<double>(node.shape(1).elements() + node.shape(2).elements());
}

double einsum(const NodeFacts &node, const Shape &output)
{
    std::vector<std::vector<std::int64_t>> shapes;
    for (const auto &input : node.inputs)
        shapes.push_back(input ? input->shape.dims : std::vector<std::int64_t>());
    const auto plan = kernels::planEinsum(node.text("equation"), shapes);
    return !plan || shapes.size() < 2 ? 0 : outputsTimes(output, elementsFrom(Shape{plan->summedDims}, 0));
}

double ofPart(const NodeFacts &node, const Shape &output)
{
    const OperatorSchema *schema = schemaOf(node.type);
    if (!schema || !output.known)
        return 0;
    if (schema->multiplyAdds)
        return schema->multiplyAdds(node, output);
    const ActivationKind activation = activationOfNode(node.type);
    const bool isActivation = activation != ActivationKind::Other;
    const int operations = isActivation ? activationSchema(activation).operations : schema->cost == Cost::Elements;
    return outputsTimes(output, operations) / 2;
}

} // namespace stagecraft::product_costs
