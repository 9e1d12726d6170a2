#include "model/onnx/read/sparse_tensors.h"

#include "model/onnx/file/constant.h"
#include "model/onnx/file/element_types.h"
#include "model/onnx/refusal.h"
#include "model/opening_budget.h"

#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace stagecraft {
namespace {

// Places in the dense tensor, counted along its rows; `byAxis`: indices have a number for each axis.
Result<std::vector<std::int64_t>> placesOf(const std::vector<std::int64_t> &indices, bool byAxis,
                                           const std::vector<std::int64_t> &dims, std::int64_t count)
{
    const std::size_t each = byAxis ? dims.size() : 1;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; each > 0 && i + each <= indices.size(); i += each) {
        std::int64_t place = 0;
        for (std::size_t k = 0; k < each; ++k) {
            const std::int64_t most = byAxis ? dims[k] : count;
            if (indices[i + k] < 0 || indices[i + k] >= most)
                return refuseModel("the indices do not fit its shape");
            place = place * most + indices[i + k];
        }
        places.push_back(place);
    }
    return places;
}

// The dense form: values at their places, zeros elsewhere.
Result<void> writeOut(const onnx::SparseTensorProto &sparse, const std::filesystem::path &folder,
                      onnx::TensorProto &dense, WorkBudget &work)
{
    const std::vector<std::int64_t> dims(sparse.dims().begin(), sparse.dims().end());
    const auto count = elementCount(dims);
    constexpr WorkAmount kElement{1, sizeof(float)};
    if (!count || !work.take(opening::times(*count, kElement)))
        return refuseModel("its shape " + toString(Shape{dims}) +
                               " has more elements than the program writes out of a "
                               "file of this size",
                           "Export the model with dense tensors");
    TRY_AS(const auto values, decodeTensor(sparse.values(), folder));
    TRY_AS(const auto indices, decodeTensor(sparse.indices(), folder));
    TRY_AS(const auto places, placesOf(indices.asInts(), sparse.indices().dims_size() == 2, dims, *count));
    if (places.size() != values.size())
        return refuseModel("it has another number of values than of indices");
    dense.set_name(sparse.values().name());
    dense.set_data_type(sparse.values().data_type());
    for (const std::int64_t dim : dims)
        dense.add_dims(dim);
    const std::string packed = bytesAs(dense.data_type(), *values.values);
    const std::size_t bytes = bytesAs(dense.data_type(), ConstantValues(std::vector<float>{0.0F})).size();
    std::string data(static_cast<std::size_t>(*count) * bytes, '\0');
    for (std::size_t i = 0; i < places.size(); ++i)
        data.replace(static_cast<std::size_t>(places[i]) * bytes, bytes, packed, i * bytes, bytes);
    dense.set_raw_data(std::move(data));
    return {};
}

Result<void> writeOutNamed(const onnx::SparseTensorProto &sparse, const std::filesystem::path &folder,
                           onnx::TensorProto &dense, WorkBudget &work)
{
    auto done = writeOut(sparse, folder, dense, work);
    return done ? done : within("sparse tensor " + sparse.values().name(), std::move(done.error()));
}

} // namespace

Result<void> writeSparseTensorsOut(onnx::GraphProto &graph, const std::filesystem::path &folder, WorkBudget &work)
{
    for (const auto &sparse : graph.sparse_initializer()) {
        if (auto done = writeOutNamed(sparse, folder, *graph.add_initializer(), work); !done)
            return done;
    }
    graph.clear_sparse_initializer();
    for (auto &node : *graph.mutable_node()) {
        for (auto &attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) {
                if (auto done = writeSparseTensorsOut(*attribute.mutable_g(), folder, work); !done)
                    return done;
            }
            if (node.op_type() != "Constant" || attribute.name() != "sparse_value")
                continue;
            onnx::TensorProto dense;
            if (auto done = writeOutNamed(attribute.sparse_tensor(), folder, dense, work); !done)
                return done;
            attribute.Clear();
            attribute.set_name("value");
            attribute.set_type(onnx::AttributeProto::TENSOR);
            *attribute.mutable_t() = std::move(dense);
        }
    }
    return {};
}

} // namespace stagecraft
