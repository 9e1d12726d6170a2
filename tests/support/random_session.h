#pragma once

// Random sessions: several models, results of every kind, with everything that can be known of them. Deterministic in
// the seed.

#include "results/files/session.h"
#include "support/random_edits.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::test {

class RandomSession {
public:
    explicit RandomSession(std::uint32_t seed) : m_engine(seed)
    {
        for (std::size_t i = 0; i < 1 + below(3); ++i) {
            m_edits.push_back(std::make_unique<RandomEdits>(seed * 7 + static_cast<std::uint32_t>(i), 9, 2));
            SessionModel model;
            model.reference = {"model " + std::to_string(i / 2), text()}; // now and then two batches of one
            model.batch = static_cast<std::int64_t>(1 + i);
            model.source = "/models/" + text() + ".onnx";
            for (const Operator &op : m_edits.back()->graph.operators())
                model.operators.push_back(op.name);
            if (i % 2 == 1)
                model.reference.reading = {Units::Tvm, {"fold-pads", "\"ä"}, {{"input 0", {1, 3, 64, 48}}}};
            model.reference.isReadOtherwise = below(4) == 0;
            session.models.push_back(std::make_shared<const SessionModel>(std::move(model)));
        }
        std::uint32_t id = 0;
        for (std::size_t i = 0; i < below(12); ++i)
            addResult(id += static_cast<std::uint32_t>(1 + below(3)));
        for (const ScheduleResult &result : session.results) {
            if (below(6) == 0)
                session.baselines.push_back(result.id);
            if (below(4) == 0)
                session.view.panes.push_back(result.id);
        }
        if (below(4) > 0)
            session.view.model = below(session.models.size());
        session.view.device = text();
        session.view.strategies = static_cast<StrategySet>(below(3));
        session.view.r = bound();
        session.view.s = bound();
        session.view.singleSource = below(2) == 0;
        session.view.launchOrder = below(2) == 0;
        session.view.focused = below(4);
        if (below(2) == 0)
            session.autosave = AutosaveNote{text(), text(), text(), count(), below(100), below(2) == 0};
        if (below(2) == 0)
            session.view.pruning = PruningGrid{{StrategySet::Merge, StrategySet::Both},
                                               {1, static_cast<int>(2 + below(60))},
                                               {static_cast<int>(1 + below(60))},
                                               {below(2) == 0}};
        for (const ScheduleResult &result : session.results) {
            const bool canBe = result.schedule && result.schedule->latencyUs() &&
                               result.schedule->measured.provenance && result.record().r && result.record().s;
            if (canBe && below(3) == 0)
                session.studies.push_back({{result, result}, {count(), count()}, count()});
        }
        for (std::size_t i = 0; i < below(3); ++i) {
            session.view.batches.push_back(1 + count());
            session.view.devices.push_back(text());
        }
    }

    [[nodiscard]] const RandomEdits &edits(std::size_t model) const { return *m_edits[model]; }

    Session session;

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_engine); }
    std::int64_t count() { return static_cast<std::int64_t>(below(1'000'000'000'000)); }
    double us() { return std::ldexp(1 + static_cast<double>(below(1'000'000)), static_cast<int>(below(40)) - 25); }
    std::optional<int> bound() { return below(4) == 0 ? std::nullopt : std::optional(static_cast<int>(1 + below(63))); }
    double usOrInfinity() { return below(5) == 0 ? std::numeric_limits<double>::infinity() : us(); }

    std::string text()
    {
        static const std::vector<std::string> kParts{"a",  "conv",         "\"", "\\",   "\n",    "±", "日本", "{",
                                                     "\t", "\n\"view\": ", ",",  "\x01", "model", "/", " ",    "}"};
        std::string made;
        for (std::size_t i = 0; i < below(6); ++i)
            made += kParts[below(kParts.size())];
        return made;
    }

    Timing timing()
    {
        Timing made = Timing::ofLatency(us());
        if (below(2) == 0) {
            made.meanUs = us();
            made.stddevUs = us();
            made.runs = static_cast<int>(2 + below(100));
        }
        if (below(3) == 0)
            made.clocks = {static_cast<int>(1 + below(2000)), static_cast<int>(1 + below(9000)), text()};
        return made;
    }

    SearchRecord record()
    {
        static const std::vector<std::string> kStrategies{"ios-both", "ios-merge", "sequential", "greedy", "edited"};
        SearchRecord made;
        made.strategy = kStrategies[below(kStrategies.size())];
        made.r = bound();
        made.s = bound();
        made.singleSource = below(2) == 0;
        made.states = count();
        made.transitions = count();
        made.stageMeasurements = count();
        made.stagesRepeated = count();
        made.stagesRefused = count();
        made.cacheHits = count();
        made.searchSeconds = us();
        made.measureSeconds = us();
        made.gap = usOrInfinity();
        if (below(3) == 0)
            made.assumption = BoundAssumption{text(), count(), count(), us(), usOrInfinity(), us()};
        made.termination = static_cast<Termination>(below(9));
        made.sumUs = below(2) == 0 ? us() : 0;
        made.editedFrom = text();
        made.pinnedStages = static_cast<std::int64_t>(below(3));
        if (below(3) == 0)
            made.freeUs = us();
        if (below(4) == 0) {
            made.costs.operators = count();
            made.costs.uncosted = {{text(), text(), text(), count(), below(2) == 0}};
        }
        return made;
    }

    std::shared_ptr<const TimedSchedule> schedule(std::size_t model)
    {
        RandomEdits &edits = *m_edits[model];
        std::vector<Stage> stages = edits.sequential();
        for (int i = 0; i < 10; ++i) {
            if (auto edited = applyEdit(edits.graph, edits.blocks, stages, edits.anyEdit(stages, edits.sequential())))
                stages = std::move(edited->stages);
        }
        TimedSchedule made;
        made.stages = std::move(stages);
        if (below(4) > 0) {
            for (std::size_t i = 0; i < made.stages.size(); ++i)
                made.measured.stages.push_back(timing());
        }
        if (below(4) > 0)
            made.measured.whole = timing();
        made.measured.how = below(4) == 0 ? MeasuredHow::SumOfStages : MeasuredHow::Alone;
        if (below(4) > 0)
            made.measured.provenance = static_cast<Provenance>(below(3));
        if (below(4) == 0)
            made.measured.profile = profile();
        made.context.device = text();
        made.measured.calibration = text();
        made.context.precision = text();
        made.context.batch = count();
        made.context.model = {text(), text()};
        made.search = record();
        return std::make_shared<const TimedSchedule>(std::move(made));
    }

    RecordedProfile profile()
    {
        RecordedProfile made{text(), text(), {}, us(), us(), {}, {}};
        for (std::size_t i = 0; i < below(3); ++i) {
            made.files.push_back({text(), text()});
            made.unmapped.push_back({text(), us(), count()});
            made.notes.push_back(text());
        }
        return made;
    }

    BlockSearch block(std::size_t model)
    {
        BlockSearch made{below(2), count(), count(), count(), count(), usOrInfinity(), us(), {}};
        const auto stages = m_edits[model]->sequential();
        for (std::size_t i = 0; i < below(3); ++i) {
            Stage stage = stages[below(stages.size())];
            stage.block = made.block;
            stage.strategy = static_cast<Strategy>(below(2));
            made.runnersUp.push_back({std::move(stage), usOrInfinity(), us(), below(2) == 0});
        }
        return made;
    }

    Measurement measurement()
    {
        Measurement made;
        made.how = static_cast<MeasuredHow>(below(3));
        made.whole = below(2) == 0 ? timing() : Timing::ofLatency(us());
        made.provenance = static_cast<Provenance>(below(3));
        made.atSeconds = count();
        made.roundGroup = static_cast<std::int64_t>(below(3));
        for (std::size_t i = 0; i < below(10); ++i)
            made.roundsUs.push_back(us());
        made.secondsPerRound = below(2) == 0 ? us() : 0;
        return made;
    }

    void addResult(std::uint32_t id)
    {
        const std::size_t model = below(session.models.size());
        ScheduleResult made;
        made.id = ResultId{id};
        made.settings = {session.models[model]->reference, text(), text(), session.models[model]->batch, text()};
        made.origin = static_cast<Origin>(below(9));
        made.title = text();
        made.asked = record();
        if (id > 1 && below(3) == 0)
            made.from = ResultId{static_cast<std::uint32_t>(below(id))};
        made.source = text();
        made.madeAtSeconds = count();
        made.trouble = text();
        made.name = text();
        made.note = text();
        made.isPinned = below(3) == 0;
        made.state = static_cast<ResultState>(below(4));
        if (made.origin == Origin::Stated) {
            made.state = ResultState::Done;
            made.measurements.push_back(measurement());
        } else if (made.state == ResultState::Done || below(2) == 0) {
            made.schedule = schedule(model);
            for (std::size_t i = 0; i < below(3); ++i)
                made.blocks.push_back(block(model));
            for (std::size_t i = 0; i < below(3); ++i)
                made.pins.push_back(made.schedule->stages[below(made.schedule->stages.size())]);
            for (std::size_t i = 0; i < below(4); ++i)
                made.measurements.push_back(measurement());
        }
        session.results.push_back(std::move(made));
    }

    std::mt19937 m_engine;
    std::vector<std::unique_ptr<RandomEdits>> m_edits;
};

} // namespace stagecraft::test
