#include "model/onnx/read/given_inputs.h"

#include "operators/schema.h"

#include <onnx/onnx_pb.h>
#include <vector>

namespace stagecraft {
namespace {

// Whether the values of an operand have to be known before the model runs.
bool mustBeConstant(const onnx::NodeProto &node, std::size_t place)
{
    if (node.op_type() == "If")
        return place == 0;
    if (node.op_type() == "Loop")
        return place < 2;
    const OperatorSchema *schema = schemaOf(node.op_type());
    return schema && place < schema->operands.size() && schema->operands[place].constant;
}

} // namespace

std::set<NameId> namesThatDecideSizes(const onnx::GraphProto &graph, const FileNames &names)
{
    std::vector<int> makers(names.size(), -1);
    std::vector<NameId> open;
    for (int i = 0; i < graph.node_size(); ++i) {
        for (const NameId made : names.makes(i)) {
            if (made.isValid())
                makers[made.index()] = i;
        }
        const auto reads = names.reads(i);
        for (std::size_t place = 0; place < reads.size(); ++place) {
            if (reads[place].isValid() && mustBeConstant(graph.node(i), place))
                open.push_back(reads[place]);
        }
    }
    std::set<NameId> found;
    while (!open.empty()) {
        const NameId name = open.back();
        open.pop_back();
        if (!found.insert(name).second || makers[name.index()] < 0)
            continue;
        const std::string &type = graph.node(makers[name.index()]).op_type();
        if (type == "Shape" || type == "Size") // of the shape alone
            continue;
        for (const NameId read : names.reads(makers[name.index()])) {
            if (read.isValid())
                open.push_back(read);
        }
    }
    return found;
}

std::optional<Constant> constantInput(const Constant &given, int elementType)
{
    constexpr std::size_t kMost = 65536; // elements; what decides sizes is small
    const DataType type = dataTypeOf(elementType);
    if (given.size() > kMost || type == DataType::Other)
        return std::nullopt;
    Constant constant = given;
    constant.type = type;
    constant.elementType = elementType;
    if (!isFloatingPoint(type) && constant.isFloat())
        constant.values = shared(constant.asInts());
    if (type == DataType::Bool)
        constant.values = truthsOf(*constant.values);
    if (isFloatingPoint(type) && !constant.isFloat())
        constant.values = shared(std::vector<float>(*constant.asFloats()));
    return constant;
}

} // namespace stagecraft
