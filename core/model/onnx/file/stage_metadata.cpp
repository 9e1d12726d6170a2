#include "model/onnx/file/stage_metadata.h"

#include <onnx/onnx_pb.h>

namespace stagecraft {
namespace {

constexpr int kMetadataField = 9; // NodeProto.metadata_props
constexpr std::string_view kPrefix = "stagecraft.";

bool isOurs(const std::string &entry)
{
    onnx::StringStringEntryProto parsed;
    return parsed.ParseFromString(entry) && parsed.key().starts_with(kPrefix);
}

// Templates: `Node` has the field or not, by the version of the ONNX library.
template <typename Node>
void addEntry(Node &node, const std::string &key, const std::string &value)
{
    if constexpr (requires { node.add_metadata_props(); }) {
        auto &entry = *node.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    } else {
        onnx::StringStringEntryProto entry;
        entry.set_key(key);
        entry.set_value(value);
        node.mutable_unknown_fields()->AddLengthDelimited(kMetadataField, entry.SerializeAsString());
    }
}

template <typename Node>
void dropEntries(Node &node)
{
    if constexpr (requires { node.mutable_metadata_props(); }) {
        auto &entries = *node.mutable_metadata_props();
        for (int i = entries.size(); i-- > 0;) {
            if (entries.Get(i).key().starts_with(kPrefix))
                entries.DeleteSubrange(i, 1);
        }
    } else if (!node.unknown_fields().empty()) {
        auto &fields = *node.mutable_unknown_fields();
        for (int i = fields.field_count(); i-- > 0;) {
            const auto &field = fields.field(i);
            if (field.number() == kMetadataField && field.type() == field.TYPE_LENGTH_DELIMITED &&
                isOurs(field.length_delimited()))
                fields.DeleteSubrange(i, 1);
        }
    }
}

} // namespace

void addMetadata(onnx::ModelProto &model, std::string_view key, std::string value)
{
    auto &entry = *model.add_metadata_props();
    entry.set_key(std::string(key));
    entry.set_value(std::move(value));
}

void addMetadata(onnx::NodeProto &node, const OnnxMetadata &entries)
{
    for (const auto &[key, value] : entries)
        addEntry(node, key, value);
}

std::string takeMetadata(onnx::ModelProto &model, std::string_view key)
{
    auto &entries = *model.mutable_metadata_props();
    for (int i = 0; i < entries.size(); ++i) {
        if (entries.Get(i).key() != key)
            continue;
        std::string value = std::move(*entries.Mutable(i)->mutable_value());
        entries.DeleteSubrange(i, 1);
        return value;
    }
    return {};
}

void dropStageMetadata(onnx::ModelProto &model)
{
    for (auto &node : *model.mutable_graph()->mutable_node())
        dropEntries(node);
}

} // namespace stagecraft
