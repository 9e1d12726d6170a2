#include "model/onnx/file/graph_file.h"

#include "model/onnx/read/node_order.h"
#include "model/onnx/refusal.h"

#include <algorithm>
#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

// Clearing the fields would not free their memory.
void dropValues(onnx::TensorProto &tensor)
{
    std::string().swap(*tensor.mutable_raw_data());
    google::protobuf::RepeatedField<float>().Swap(tensor.mutable_float_data());
    google::protobuf::RepeatedField<double>().Swap(tensor.mutable_double_data());
    google::protobuf::RepeatedField<std::int32_t>().Swap(tensor.mutable_int32_data());
    google::protobuf::RepeatedField<std::int64_t>().Swap(tensor.mutable_int64_data());
    google::protobuf::RepeatedField<std::uint64_t>().Swap(tensor.mutable_uint64_data());
}

template <typename Value>
Value foundIn(const std::unordered_map<NameId, Value> &values, NameId name)
{
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
}

} // namespace

GraphFile::GraphFile(onnx::GraphProto &graph, std::filesystem::path folder)
    : m_folder(std::move(folder)), m_names(graph)
{
    for (const auto *infos : {&graph.value_info(), &graph.output()}) {
        for (const auto &info : *infos)
            m_declared.emplace(m_names.find(info.name()), &info);
    }
}

Result<GraphFile> GraphFile::open(onnx::GraphProto &graph, const std::filesystem::path &folder)
{
    GraphFile file(graph, folder);
    TRY(file.findInitializers(graph));
    TRY_AS(auto order, nodeOrder(graph, file.m_names));
    file.m_order = std::move(order);
    return file;
}

// One name may stand for two initializers if they are alike: the last counts, as in ONNX Runtime.
Result<void> GraphFile::findInitializers(onnx::GraphProto &graph)
{
    for (auto &initializer : *graph.mutable_initializer()) {
        const NameId name = m_names.find(initializer.name());
        if (!name.isValid())
            continue;
        onnx::TensorProto *&found = m_initializers[name];
        if (found &&
            (found->data_type() != initializer.data_type() || !std::ranges::equal(found->dims(), initializer.dims())))
            return refuseModel("two initializers are named " + initializer.name() + ", of other shapes or types");
        found = &initializer;
    }
    return {};
}

const onnx::TensorProto *GraphFile::initializer(NameId name) const
{
    return name.isValid() ? foundIn(m_initializers, name) : nullptr;
}

const onnx::ValueInfoProto *GraphFile::declared(NameId name) const
{
    return name.isValid() ? foundIn(m_declared, name) : nullptr;
}

Result<std::shared_ptr<const Constant>> GraphFile::readInitializer(NameId name)
{
    onnx::TensorProto *tensor = name.isValid() ? foundIn(m_initializers, name) : nullptr;
    if (!tensor || dataTypeOf(tensor->data_type()) == DataType::Other)
        return nullptr;
    std::shared_ptr<const Constant> &read = m_constants[name];
    if (!read) {
        auto decoded = decodeTensor(*tensor, m_folder);
        if (!decoded)
            return within("tensor " + tensor->name(), std::move(decoded.error()));
        read = std::make_shared<const Constant>(std::move(*decoded));
        dropValues(*tensor);
    }
    return read;
}

GraphFile::Constants GraphFile::take()
{
    Constants constants;
    for (auto &[name, constant] : m_constants)
        constants.emplace(m_names.text(name), std::move(constant));
    m_constants.clear();
    return constants;
}

void GraphFile::give(const Constants &constants)
{
    for (const auto &[text, constant] : constants) {
        if (const NameId name = m_names.find(text); name.isValid() && constant)
            m_constants.emplace(name, constant);
    }
}

std::shared_ptr<const Constant> GraphFile::made(NameId name) const
{
    return foundIn(m_constants, name);
}

void GraphFile::keepMade(NameId name, std::shared_ptr<const Constant> constant)
{
    m_constants.emplace(name, std::move(constant));
}

} // namespace stagecraft
