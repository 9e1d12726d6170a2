#pragma once

// Random ONNX files of nodes on one image, as their bytes. Deterministic in the seed. Outputs are two of what the nodes
// make, and what every Identity passes on.

#include "support/onnx_nodes.h"

#include <QRandomGenerator>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::test {

// Types that randomOnnx() makes nodes of: each keeps the shape of what it reads.
inline const std::vector<std::string> &randomTypes()
{
    static const std::vector<std::string> types{
        "Relu", "Sigmoid", "HardSigmoid", "Neg",  "Sum",   "Mul",    "Add",     "Max", "AddThree", "DivSix",  "MulSelf",
        "Pad",  "Conv",    "Depthwise",   "Norm", "Relu6", "Halves", "Dropout", "Not", "ShapeOf",  "Identity"};
    return types;
}

class RandomOnnx {
public:
    RandomOnnx(std::uint32_t seed, std::vector<std::string> types, int nodes)
        : m_random(seed), m_types(std::move(types)), m_graph(*m_model.mutable_graph())
    {
        m_model.set_ir_version(8);
        m_model.add_opset_import()->set_version(13);
        m_graph.set_name("random");
        for (const char *input : {"x", "y"}) {
            describe(*m_graph.add_input(), input, onnx::TensorProto::FLOAT, {1, 4, 6, 6});
            m_made.emplace_back(input);
        }
        addConstants();
        for (int i = 0; i < nodes; ++i)
            addRandom("t" + std::to_string(i));
        std::set<std::string> outputs{m_made.back(), m_made[m_made.size() / 2 + 1]};
        for (const auto &node : m_graph.node()) {
            if (node.op_type() == "Identity")
                outputs.insert(node.output(0));
        }
        for (const std::string &output : outputs)
            describe(*m_graph.add_output(), output, onnx::TensorProto::FLOAT, {1, 4, 6, 6});
    }

    [[nodiscard]] std::string bytes() const { return m_model.SerializeAsString(); }

private:
    void constant(const char *name, const std::vector<std::int64_t> &dims, float value)
    {
        auto &tensor = *m_graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        std::int64_t count = 1;
        for (const std::int64_t dim : dims) {
            tensor.add_dims(dim);
            count *= dim;
        }
        for (std::int64_t i = 0; i < count; ++i)
            tensor.add_float_data(value);
    }

    void addConstants()
    {
        constant("three", {}, 3);
        constant("six", {}, 6);
        constant("channels", {4}, 0.5F);
        constant("weight", {4, 4, 3, 3}, 0.1F);
        constant("depthwise", {4, 1, 1, 1}, 0.1F);
        auto &pads = *m_graph.add_initializer();
        pads.set_name("pads");
        pads.set_data_type(onnx::TensorProto::INT64);
        pads.add_dims(8);
        for (const std::int64_t amount : {0, 0, 1, 1, 0, 0, 1, 1})
            pads.add_int64_data(amount);
    }

    std::string earlier()
    {
        const auto count = static_cast<quint32>(m_made.size());
        return m_made[m_random.bounded(3U) == 0 ? m_random.bounded(count)
                                                : count - 1 - m_random.bounded(std::min(count, 3U))];
    }

    static void setInts(onnx::NodeProto &node, const char *name, const std::vector<std::int64_t> &values)
    {
        auto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const std::int64_t value : values)
            attribute.add_ints(value);
    }

    static void setInt(onnx::NodeProto &node, const char *name, std::int64_t value)
    {
        auto &attribute = *node.add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INT);
        attribute.set_i(value);
    }

    void addRandom(const std::string &name)
    {
        const std::string &type = m_types[m_random.bounded(static_cast<quint32>(m_types.size()))];
        const std::string first = earlier();
        if (type == "Mul" || type == "Add" || type == "Max") {
            addNode(m_graph, type, {first, earlier()}, {name});
        } else if (type == "MulSelf") {
            addNode(m_graph, "Mul", {first, first}, {name});
        } else if (type == "AddThree") {
            addNode(m_graph, "Add", {first, "three"}, {name});
        } else if (type == "DivSix") {
            addNode(m_graph, "Div", {first, "six"}, {name});
        } else if (type == "Relu6") {
            addNode(m_graph, "Clip", {first, "", "six"}, {name});
        } else if (type == "Pad") {
            addNode(m_graph, "Pad", {first, "pads"}, {name + "p"});
            setInts(addNode(m_graph, "MaxPool", {name + "p"}, {name}), "kernel_shape", {3, 3});
        } else if (type == "Conv") {
            setInts(addNode(m_graph, "Conv", {first, "weight"}, {name}), "pads", {1, 1, 1, 1});
        } else if (type == "Depthwise") {
            setInt(addNode(m_graph, "Conv", {first, "depthwise"}, {name}), "group", 4);
        } else if (type == "Norm") {
            addNode(m_graph, "BatchNormalization", {first, "channels", "channels", "channels", "channels"}, {name});
        } else if (type == "Halves") {
            setInt(addNode(m_graph, "Split", {first}, {name + "a", name + "b"}), "axis", 1);
            setInt(addNode(m_graph, "Concat", {name + "a", name + "b"}, {name}), "axis", 1);
        } else if (type == "Not") {
            addNode(m_graph, "Greater", {first, earlier()}, {name + "g"});
            addNode(m_graph, "Not", {name + "g"}, {name + "n"});
            addNode(m_graph, "Where", {name + "n", first, earlier()}, {name});
        } else if (type == "ShapeOf") {
            addNode(m_graph, "Shape", {first}, {name + "s"});
            addNode(m_graph, "Reshape", {first, name + "s"}, {name});
        } else {
            addNode(m_graph, type, {first}, {name});
        }
        m_made.push_back(name);
    }

    QRandomGenerator m_random;
    std::vector<std::string> m_types;
    onnx::ModelProto m_model;
    onnx::GraphProto &m_graph;
    std::vector<std::string> m_made;
};

} // namespace stagecraft::test
