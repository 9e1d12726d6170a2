#pragma once

// Parts of ONNX files that tests make by hand.

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::test {

// `type`: a data type of onnx::TensorProto.
inline void describe(onnx::ValueInfoProto &value, const std::string &name, int type,
                     const std::vector<std::int64_t> &dims)
{
    value.set_name(name);
    auto &tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const std::int64_t dim : dims)
        tensor.mutable_shape()->add_dim()->set_dim_value(dim);
}

// Named after the first tensor that it makes.
inline onnx::NodeProto &addNode(onnx::GraphProto &graph, const std::string &type, const std::vector<std::string> &reads,
                                const std::vector<std::string> &makes)
{
    auto &node = *graph.add_node();
    node.set_op_type(type);
    node.set_name(makes.front());
    for (const std::string &name : reads)
        node.add_input(name);
    for (const std::string &name : makes)
        node.add_output(name);
    return node;
}

} // namespace stagecraft::test
