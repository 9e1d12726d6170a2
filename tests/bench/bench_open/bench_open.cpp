// How long a model of many operators takes to open: a chain of N nodes, against Protobuf's parsing alone.
//   bench_open [N]   a million without an argument

#include "flow/open_model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

using namespace stagecraft;

namespace {

std::string chain(int nodes)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto &graph = *model.mutable_graph();
    graph.set_name("chain");
    const auto addTensor = [](onnx::ValueInfoProto &info, std::string name) {
        info.set_name(std::move(name));
        auto &type = *info.mutable_type()->mutable_tensor_type();
        type.set_elem_type(onnx::TensorProto::FLOAT);
        for (const int size : {1, 4, 8, 8})
            type.mutable_shape()->add_dim()->set_dim_value(size);
    };
    addTensor(*graph.add_input(), "t0");
    addTensor(*graph.add_output(), "t" + std::to_string(nodes));
    for (int i = 0; i < nodes; ++i) {
        onnx::NodeProto &node = *graph.add_node();
        node.set_op_type("Relu");
        node.set_name("n" + std::to_string(i));
        node.add_input("t" + std::to_string(i));
        node.add_output("t" + std::to_string(i + 1));
    }
    return model.SerializeAsString();
}

template <typename Work>
double medianMs(Work &&work)
{
    std::vector<double> times(5);
    for (double &ms : times) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    }
    std::ranges::sort(times);
    return times[2];
}

} // namespace

int main(int argc, char **argv)
{
    const int nodes = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
    const std::string bytes = chain(nodes);
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "stagecraft_bench_open.onnx";
    std::ofstream(file, std::ios::binary) << bytes;
    bool isOpen = true;
    const double parsing = medianMs([&] {
        onnx::ModelProto model;
        isOpen = isOpen && model.ParseFromString(bytes);
    });
    const double opening = medianMs([&] { isOpen = isOpen && openModel({file.string()}).has_value(); });
    std::filesystem::remove(file);
    if (!isOpen) {
        std::fputs("the chain could not be opened\n", stderr);
        return 1;
    }
    std::printf("%d nodes: parsing alone %.0f ms, opening and closing %.0f ms, ratio %.2f\n", nodes, parsing, opening,
                opening / parsing);
}
