#include "search/order/latency_model.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <xgboost/c_api.h>

namespace stagecraft {

namespace {

constexpr int kTrees = 80;
constexpr std::pair<const char *, const char *> kSettings[]{{"objective", "reg:squarederror"},
                                                            {"tree_method", "hist"},
                                                            {"max_depth", "5"},
                                                            {"eta", "0.15"},
                                                            {"min_child_weight", "2"},
                                                            {"lambda", "1"},
                                                            {"base_score", "0"},
                                                            {"nthread", "1"},
                                                            {"verbosity", "0"},
                                                            {"seed", "1"},
                                                            {"disable_default_eval_metric", "1"}};

Error libraryFailed()
{
    return {ErrorCode::DeviceFailed, std::string("XGBoost: ") + XGBGetLastError(), "Search with --order bounds", {}};
}

class Matrix {
public:
    Matrix(std::span<const float> features, std::size_t columns)
    {
        m_isMade = XGDMatrixCreateFromMat(features.data(), features.size() / columns, columns, NAN, &m_handle) == 0;
    }
    Matrix(const Matrix &) = delete;
    Matrix &operator=(const Matrix &) = delete;
    ~Matrix()
    {
        if (m_isMade)
            XGDMatrixFree(m_handle);
    }
    [[nodiscard]] bool isMade() const { return m_isMade; }
    [[nodiscard]] DMatrixHandle get() const { return m_handle; }

private:
    DMatrixHandle m_handle = nullptr;
    bool m_isMade = false;
};

bool isUsable(const StageSample &sample, std::size_t features)
{
    return sample.features.size() == features && sample.guessedUs > 0 && sample.latencyUs > 0 &&
           std::isfinite(sample.latencyUs) && std::isfinite(sample.guessedUs);
}

} // namespace

Result<std::unique_ptr<LatencyModel>> LatencyModel::fit(std::span<const StageSample> samples, std::size_t count,
                                                        std::size_t fewest)
{
    if (samples.size() < fewest)
        return fail(ErrorCode::WrongUse, "too few samples to learn from");
    if (!std::ranges::all_of(samples, [&](const StageSample &sample) { return isUsable(sample, count); }))
        return fail(ErrorCode::WrongUse, "a sample without features or latency");
    std::vector<float> features, logRatios;
    features.reserve(samples.size() * count);
    logRatios.reserve(samples.size());
    for (const StageSample &sample : samples) {
        features.insert(features.end(), sample.features.begin(), sample.features.end());
        logRatios.push_back(static_cast<float>(std::log(sample.latencyUs / sample.guessedUs)));
    }
    const Matrix matrix(features, count);
    if (!matrix.isMade() || XGDMatrixSetFloatInfo(matrix.get(), "label", logRatios.data(), logRatios.size()) != 0)
        return tl::unexpected(libraryFailed());
    const DMatrixHandle trainedOn = matrix.get();
    BoosterHandle booster = nullptr;
    if (XGBoosterCreate(&trainedOn, 1, &booster) != 0)
        return tl::unexpected(libraryFailed());
    std::unique_ptr<LatencyModel> model(new LatencyModel(booster, count, samples.size()));
    for (const auto &[name, value] : kSettings) {
        if (XGBoosterSetParam(booster, name, value) != 0)
            return tl::unexpected(libraryFailed());
    }
    for (int tree = 0; tree < kTrees; ++tree) {
        if (XGBoosterUpdateOneIter(booster, tree, trainedOn) != 0)
            return tl::unexpected(libraryFailed());
    }
    return model;
}

LatencyModel::~LatencyModel()
{
    XGBoosterFree(m_booster);
}

Result<std::vector<float>> LatencyModel::ratios(std::span<const float> features) const
{
    if (features.empty())
        return std::vector<float>{};
    const Matrix matrix(features, m_features);
    bst_ulong count = 0;
    const float *logRatios = nullptr;
    if (!matrix.isMade() || XGBoosterPredict(m_booster, matrix.get(), 0, 0, 0, &count, &logRatios) != 0)
        return tl::unexpected(libraryFailed());
    std::vector<float> ratios(logRatios, logRatios + count);
    for (float &ratio : ratios)
        ratio = std::exp(ratio);
    return ratios;
}

} // namespace stagecraft
