#pragma once

// The machine at the other end of a kit's folder, without Python: a recording with an answer for each stage.

#include "support/cli_process.h"

#include <QDir>
#include <QJsonArray>

#include <functional>

namespace stagecraft::test {

// A plausible device: the slowest group, and a share of the others.
inline double microsecondsOf(const QJsonObject &stage)
{
    double sum = 0, most = 0;
    for (const auto &group : stage["groups"].toArray()) {
        double us = 0;
        for (const auto &name : group.toArray())
            us += 10 + 0.5 * static_cast<double>(name.toString().size());
        sum += us;
        most = std::max(most, us);
    }
    return stage["strategy"] == "merge" ? 0.8 * sum : most + 0.3 * (sum - most);
}

// Goes on with the recording in the folder, or begins one. Returns its name.
inline QString answerKitFolder(const QString &folder,
                               const std::function<double(const QJsonObject &)> &us = microsecondsOf)
{
    const QDir kit(folder);
    const QJsonObject about = QJsonDocument::fromJson(contentOf(kit.filePath("kit.json"))).object();
    const QString name = about["recording"].toString();
    QByteArray recording = contentOf(kit.filePath(name));
    if (recording.isEmpty()) {
        const QJsonObject header{{"format", "stagecraft-latencies"},
                                 {"version", 1},
                                 {"device", "far away"},
                                 {"batch", about["batch"]},
                                 {"precision", "fp32"},
                                 {"model", about["model"]},
                                 {"fingerprint", "far;away;"},
                                 {"engine", "pytorch:cpu"},
                                 {"kit", QJsonObject{{"model_sha256", about["model_sha256"]},
                                                     {"round", about["round"]},
                                                     {"barrier_us", 0},
                                                     {"chain_us", 0},
                                                     {"chains_add_up", false}}}};
        recording = QJsonDocument(header).toJson(QJsonDocument::Compact) + '\n';
    }
    for (const QByteArray &line : contentOf(kit.filePath("stages.jsonl")).split('\n')) {
        for (const auto &each : QJsonDocument::fromJson(line).array()) {
            QJsonObject stage = each.toObject();
            const double latency = us(QJsonDocument::fromJson(line).array().first().toObject());
            if (latency > 0) {
                stage["latency_us"] = latency;
                stage["mean_us"] = latency;
                stage["stddev_us"] = latency / 100;
                stage["runs"] = 9;
            } else {
                stage["refused"] = "it has no kernel there";
            }
            recording += QJsonDocument(stage).toJson(QJsonDocument::Compact) + '\n';
        }
    }
    write(kit.filePath(name), recording);
    return name;
}

} // namespace stagecraft::test
