#include "model/onnx/file/attribute_proto.h"

#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

using Proto = onnx::AttributeProto;

// Files of the first versions of the format state no type.
Proto::AttributeType typeOf(const Proto &attribute)
{
    if (attribute.type() != Proto::UNDEFINED)
        return attribute.type();
    return attribute.has_i()             ? Proto::INT
           : attribute.has_f()           ? Proto::FLOAT
           : attribute.has_s()           ? Proto::STRING
           : attribute.ints_size() > 0   ? Proto::INTS
           : attribute.floats_size() > 0 ? Proto::FLOATS
                                         : Proto::UNDEFINED;
}

struct Setter {
    Proto &attribute;

    bool operator()(std::int64_t value) const
    {
        attribute.set_type(Proto::INT);
        attribute.set_i(value);
        return true;
    }
    bool operator()(float value) const
    {
        attribute.set_type(Proto::FLOAT);
        attribute.set_f(value);
        return true;
    }
    bool operator()(const std::string &value) const
    {
        attribute.set_type(Proto::STRING);
        attribute.set_s(value);
        return true;
    }
    bool operator()(const std::vector<std::int64_t> &values) const
    {
        attribute.set_type(Proto::INTS);
        attribute.mutable_ints()->Add(values.begin(), values.end());
        return true;
    }
    bool operator()(const std::vector<float> &values) const
    {
        attribute.set_type(Proto::FLOATS);
        attribute.mutable_floats()->Add(values.begin(), values.end());
        return true;
    }
    bool operator()(const std::vector<std::string> &values) const
    {
        attribute.set_type(Proto::STRINGS);
        for (const std::string &value : values)
            attribute.add_strings(value);
        return true;
    }
    bool operator()(const NotKept &) const { return false; }
    bool operator()(const SharedSubgraph &) const { return false; }
};

} // namespace

AttributeValue attributeValue(const onnx::AttributeProto &attribute)
{
    switch (typeOf(attribute)) {
    case Proto::INT: return attribute.i();
    case Proto::FLOAT: return attribute.f();
    case Proto::STRING: return attribute.s();
    case Proto::INTS: return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case Proto::FLOATS: return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case Proto::STRINGS: return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case Proto::TENSOR: return NotKept("(tensor)");
    case Proto::GRAPH: return NotKept("(graph)");
    default: return NotKept("(other)");
    }
}

bool setValue(onnx::AttributeProto &attribute, const AttributeValue &value)
{
    return std::visit(Setter{attribute}, value);
}

} // namespace stagecraft
