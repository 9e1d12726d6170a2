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

// Initializers.
inline void addFloats(onnx::GraphProto &graph, const std::string &name, const std::vector<std::int64_t> &dims,
                      const std::vector<float> &values)
{
    auto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims)
        tensor.add_dims(dim);
    for (const float value : values)
        tensor.add_float_data(value);
}

inline void addWhole(onnx::GraphProto &graph, const std::string &name, int type, std::int64_t value)
{
    auto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    if (type == onnx::TensorProto::BOOL)
        tensor.add_int32_data(static_cast<std::int32_t>(value));
    else
        tensor.add_int64_data(value);
}

inline onnx::GraphProto &subgraph(onnx::NodeProto &node, const char *attribute)
{
    auto &made = *node.add_attribute();
    made.set_name(attribute);
    made.set_type(onnx::AttributeProto::GRAPH);
    made.mutable_g()->set_name(attribute);
    return *made.mutable_g();
}

inline void addIntegers(onnx::GraphProto &graph, const std::string &name, const std::vector<std::int64_t> &values)
{
    auto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    tensor.mutable_int64_data()->Add(values.begin(), values.end());
}

inline void setInteger(onnx::NodeProto &node, const std::string &name, std::int64_t value)
{
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

inline void setText(onnx::NodeProto &node, const std::string &name, const std::string &value)
{
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
}

inline void setIntegers(onnx::NodeProto &node, const std::string &name, const std::vector<std::int64_t> &values)
{
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    attribute.mutable_ints()->Add(values.begin(), values.end());
}

} // namespace stagecraft::test
