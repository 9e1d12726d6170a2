#pragma once

// Exported C++ projects: built, run, and what they compute compared with what others do.

#include "device/npy.h"

#include <QByteArray>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stagecraft::test {

inline constexpr int kBuildMs = 600'000;

struct Finished {
    int status = -1;
    QByteArray text; // standard output and error
};

inline Finished start(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(kBuildMs))
        return {-1, program.toUtf8() + " does not end"};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAll()};
}

// Without optimisation and as one compilation, to save time.
inline Finished build(const QString &source, const QString &folder, QStringList options = {})
{
    options += {"-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_UNITY_BUILD=ON"};
    options += {"-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
                "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wno-missing-field-initializers -Wno-subobject-linkage"};
    if (!QStandardPaths::findExecutable("ninja").isEmpty())
        options += {"-G", "Ninja"};
    if (!QStandardPaths::findExecutable("ccache").isEmpty())
        options += "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache";
    const Finished configured = start("cmake", options);
    return configured.status == 0 ? start("cmake", {"--build", folder, "-j2"}) : configured;
}

inline HostTensor image(Shape shape)
{
    HostTensor tensor{{}, std::move(shape), {}};
    tensor.values.resize(static_cast<std::size_t>(tensor.shape.elements()));
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
        tensor.values[i] = std::sin(static_cast<float>(i) * 0.37F);
    return tensor;
}

// ONNX Runtime's first output. Inputs are [NAME=]FILE; without a name: of the first.
inline Finished judge(const QString &python, const QString &model, const QStringList &inputs, const QString &output)
{
    return start(python, QStringList{"-c",
                                     "import sys, numpy, onnxruntime as o\n"
                                     "s = o.InferenceSession(sys.argv[1])\n"
                                     "first = s.get_inputs()[0].name\n"
                                     "x = [word.rpartition('=') for word in sys.argv[3:]]\n"
                                     "x = {name or first: numpy.load(file) for name, _, file in x}\n"
                                     "numpy.save(sys.argv[2], s.run(None, x)[0])",
                                     model, output} +
                             inputs);
}

// The largest difference, relative to the largest value where that is above 1.
inline double difference(const QString &a, const QString &b)
{
    const auto left = readNpy(a.toStdString());
    const auto right = readNpy(b.toStdString());
    if (!left || !right || left->shape != right->shape)
        return std::numeric_limits<double>::infinity();
    double worst = 0;
    double largest = 1;
    for (std::size_t i = 0; i < left->values.size(); ++i) {
        const double distance = std::abs(static_cast<double>(left->values[i]) - right->values[i]);
        worst = std::isnan(distance) ? std::numeric_limits<double>::infinity() : std::max(worst, distance);
        largest = std::max(largest, std::abs(static_cast<double>(right->values[i])));
    }
    return worst / largest;
}

} // namespace stagecraft::test
