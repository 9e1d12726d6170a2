#include "model/onnx/write/check_written.h"

#include <algorithm>
#include <array>
#include <exception>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>
#include <string>

namespace stagecraft {
namespace {

// Without the dump of the node that the library appends to its messages.
std::string firstPart(std::string text)
{
    text.resize(std::min(text.size(), text.find("\n\n")));
    std::ranges::replace(text, '\n', ' ');
    return text;
}

Error refusal(const std::string &what)
{
    return {ErrorCode::InvalidInput,
            "the result is not valid ONNX: " + firstPart(what),
            "Export the model again for a newer opset, or keep the original model file",
            {}};
}

// The library's inference names the node in its message: "[...] (op_type:Add, node name: n): B has ...".
tl::unexpected<Error> inferenceRefusal(const std::string &what)
{
    const std::string typeMark = "(op_type:";
    const std::string nameMark = ", node name: ";
    const std::size_t begin = what.find(typeMark);
    const std::size_t middle = what.find(nameMark, begin);
    const std::size_t end = what.find("): ", middle);
    if (begin == std::string::npos || middle == std::string::npos || end == std::string::npos)
        return tl::unexpected(refusal(what));
    const std::string type = what.substr(begin + typeMark.size(), middle - begin - typeMark.size());
    const std::string name = what.substr(middle + nameMark.size(), end - middle - nameMark.size());
    return within("operator " + name + " (" + type + ")", refusal(what.substr(end + 3)));
}

bool knowsAll(const onnx::ModelProto &model)
{
    const auto &known = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
    return std::ranges::all_of(model.opset_import(), [&](const auto &import) {
        const auto found = known.find(import.domain());
        return found == known.end() || import.version() <= found->second.second; // other domains are not checked
    });
}

Result<void> checkNodes(const onnx::ModelProto &model)
{
    onnx::checker::CheckerContext context;
    context.set_ir_version(static_cast<int>(model.ir_version()));
    std::unordered_map<std::string, int> versions;
    for (const auto &import : model.opset_import())
        versions[import.domain()] = static_cast<int>(import.version());
    context.set_opset_imports(versions);
    onnx::checker::LexicalScopeContext names;
    for (const auto &input : model.graph().input())
        names.add(input.name());
    for (const auto &initializer : model.graph().initializer())
        names.add(initializer.name());
    for (const auto &node : model.graph().node()) {
        try {
            onnx::checker::check_node(node, context, names);
        } catch (const std::exception &exception) {
            return within("operator " + node.name() + " (" + node.op_type() + ")", refusal(exception.what()));
        }
        for (const std::string &output : node.output())
            names.add(output);
    }
    return {};
}

// What ONNX Runtime reads and the library does not know: operators that its optimiser writes in any opset, and lists
// without elements. They are taken out of what is checked.
void setAsideForOnnxRuntime(onnx::ModelProto &model)
{
    constexpr std::array kOfEveryOpset{"LayerNormalization", "SimplifiedLayerNormalization"};
    constexpr const char *kUnchecked = "of.onnxruntime";
    const auto &registry = *onnx::OpSchemaRegistry::Instance();
    std::int64_t opset = 0;
    for (const auto &import : model.opset_import())
        opset = import.domain().empty() ? import.version() : opset;
    bool any = false;
    for (auto &node : *model.mutable_graph()->mutable_node()) {
        const bool isKnown = registry.GetSchema(node.op_type(), static_cast<int>(opset), node.domain()) != nullptr;
        if (node.domain().empty() && !isKnown && std::ranges::count(kOfEveryOpset, node.op_type()) > 0) {
            node.set_domain(kUnchecked);
            any = true;
        }
        auto &attributes = *node.mutable_attribute();
        for (int i = attributes.size(); i-- > 0;) {
            if (attributes[i].type() == onnx::AttributeProto::INTS && attributes[i].ints_size() == 0)
                attributes.DeleteSubrange(i, 1);
        }
    }
    if (any) {
        auto &import = *model.add_opset_import();
        import.set_domain(kUnchecked);
        import.set_version(1);
    }
}

} // namespace

Result<void> checkWritten(onnx::ModelProto model)
{
    if (!knowsAll(model))
        return {};
    setAsideForOnnxRuntime(model);
    // A newer IR version than the library's changes nothing for the opsets it knows.
    model.set_ir_version(std::min<std::int64_t>(model.ir_version(), onnx::Version::IR_VERSION));
    if (auto ok = checkNodes(model); !ok)
        return ok;
    try {
        onnx::checker::check_model(model);
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions{true, 1, false});
    } catch (const std::exception &exception) {
        return inferenceRefusal(exception.what());
    }
    return {};
}

} // namespace stagecraft
