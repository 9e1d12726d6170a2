#include "flow/import_profile.h"

#include "graph/operator_cost.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stagecraft {
namespace {

bool isMemory(const ProfiledKernel &kernel)
{
    return kernel.kind == ProfiledKind::Copy || kernel.kind == ProfiledKind::Fill;
}

class ProfileBinding {
public:
    ProfileBinding(const Model &model, Profile profile) : m_graph(*model.graph), m_names(model)
    {
        m_import.times = profileTimes(profile, heavyOperators(m_graph));
        m_import.mappings.resize(profile.kernels.size());
        m_import.profile = std::move(profile);
    }

    ImportedProfile bind()
    {
        bindByName();
        bindByGraphNode();
        for (const KernelPlaces &run : m_import.times.runs.runs)
            mapByOrder(m_graph, m_import.profile, run, m_import.mappings);
        bindByGraphNode();
        bindCopies();
        for (auto &mapping : m_import.mappings) {
            if (mapping)
                putMainFirst(mapping->operators);
        }
        addUp();
        findPath();
        return std::move(m_import);
    }

private:
    const std::optional<NamedOperators> &named(const std::string &name)
    {
        const auto [found, isNew] = m_found.try_emplace(name);
        if (isNew)
            found->second = m_names.find(name);
        return found->second;
    }

    void bindByName()
    {
        const Profile &profile = m_import.profile;
        for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
            const ProfiledKernel &kernel = profile.kernels[i];
            auto &mapping = m_import.mappings[i];
            if (isMemory(kernel))
                continue;
            mapping = named(kernel.name);
            for (const std::string &tensor : kernel.outputs) {
                const auto op = mapping ? std::nullopt : m_names.producerOf(tensor);
                if (op)
                    mapping = NamedOperators{{*op}, MappedBy::OutputTensor};
            }
            if (mapping || kernel.hostOperator == kNoPlace)
                continue;
            mapping = named(profile.hostOperators[kernel.hostOperator].name);
            if (mapping)
                mapping->by = MappedBy::Launcher;
        }
    }

    // A graph that is launched again has the same nodes.
    void bindByGraphNode()
    {
        std::unordered_map<std::int64_t, std::size_t> mapped;
        const auto &kernels = m_import.profile.kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (kernels[i].graphNode && m_import.mappings[i])
                mapped.try_emplace(*kernels[i].graphNode, i);
        }
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (!kernels[i].graphNode || m_import.mappings[i] || isMemory(kernels[i]))
                continue;
            if (const auto found = mapped.find(*kernels[i].graphNode); found != mapped.end())
                m_import.mappings[i] = NamedOperators{m_import.mappings[found->second]->operators, MappedBy::GraphNode};
        }
    }

    // A copy belongs to its layer also where that was mapped by something else than its name.
    void bindCopies()
    {
        std::unordered_map<std::string_view, std::size_t> mapped;
        const auto &kernels = m_import.profile.kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (m_import.mappings[i])
                mapped.try_emplace(kernels[i].name, i);
        }
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (m_import.mappings[i] || isMemory(kernels[i]))
                continue;
            std::string_view layer = copiedFor(kernels[i].name);
            while (!layer.empty() && !mapped.contains(layer))
                layer = copiedFor(layer);
            if (const auto found = mapped.find(layer); found != mapped.end())
                m_import.mappings[i] = NamedOperators{m_import.mappings[found->second]->operators, MappedBy::CopyFor};
        }
    }

    double flopsOf(OperatorId id)
    {
        const auto [found, isNew] = m_flops.try_emplace(id, 0);
        if (isNew)
            found->second = flops(m_graph, id);
        return found->second;
    }

    void putMainFirst(std::vector<OperatorId> &operators)
    {
        const auto most = std::ranges::max_element(operators, {}, [&](OperatorId id) { return flopsOf(id); });
        std::rotate(operators.begin(), most, std::next(most));
    }

    void addUp()
    {
        std::map<OperatorId, ProfiledOperator> byOperator;
        std::map<OperatorId, std::int64_t> longest;
        const KernelPlaces &run = m_import.times.runs.runs[m_import.times.typical];
        for (const std::uint32_t place : run) {
            const ProfiledKernel &kernel = m_import.profile.kernels[place];
            if (isMemory(kernel))
                continue;
            const auto &mapping = m_import.mappings[place];
            if (!mapping) {
                m_import.unmapped.push_back(place);
                m_import.unmappedNs += kernel.durationNs;
                continue;
            }
            m_import.mappedNs += kernel.durationNs;
            const OperatorId main = mapping->operators.front();
            ProfiledOperator &entry = byOperator.try_emplace(main, ProfiledOperator{.op = main}).first->second;
            entry.timeNs += kernel.durationNs;
            entry.kernels.push_back(place);
            entry.with.insert(entry.with.end(), mapping->operators.begin() + 1, mapping->operators.end());
            if (const auto [most, isFirst] = longest.try_emplace(main, kernel.durationNs);
                isFirst || kernel.durationNs > most->second) {
                most->second = kernel.durationNs;
                entry.by = mapping->by;
            }
        }
        for (auto &[id, entry] : byOperator) {
            std::ranges::sort(entry.with);
            const auto repeated = std::ranges::unique(entry.with);
            entry.with.erase(repeated.begin(), repeated.end());
            m_import.operators.push_back(std::move(entry));
        }
        std::ranges::stable_sort(m_import.unmapped, std::greater<>(),
                                 [&](std::uint32_t place) { return m_import.profile.kernels[place].durationNs; });
    }

    void findPath()
    {
        constexpr double kEnough = 0.9; // of the time: a path along edges passes over what is not mapped
        const auto sum = static_cast<double>(m_import.mappedNs + m_import.unmappedNs);
        if (sum > 0 && static_cast<double>(m_import.mappedNs) >= kEnough * sum) {
            m_import.path = pathAlongEdges();
            return;
        }
        KernelChain chain = longestChain(m_import.profile, m_import.times.runs.runs[m_import.times.typical]);
        if (!chain.kernels.empty())
            m_import.path =
                ProfiledPath{chain.followsEvents ? ProfiledPath::Along::Events : ProfiledPath::Along::Streams,
                             chain.lengthNs,
                             {},
                             std::move(chain.kernels)};
    }

    ProfiledPath pathAlongEdges() const
    {
        std::vector<std::int64_t> lengths(m_graph.size(), 0);
        std::vector<OperatorId> before(m_graph.size());
        for (const ProfiledOperator &entry : m_import.operators)
            lengths[entry.op.index()] = entry.timeNs;
        OperatorId last;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const OperatorId id = OperatorId::fromIndex(i);
            for (const OperatorId earlier : m_graph.predecessors(id)) {
                if (!before[i].isValid() || lengths[earlier.index()] > lengths[before[i].index()])
                    before[i] = earlier;
            }
            if (before[i].isValid())
                lengths[i] += lengths[before[i].index()];
            if (!last.isValid() || lengths[i] > lengths[last.index()])
                last = id;
        }
        ProfiledPath path{ProfiledPath::Along::Edges, last.isValid() ? lengths[last.index()] : 0, {}, {}};
        for (OperatorId id = last; id.isValid(); id = before[id.index()])
            path.operators.push_back(id);
        std::ranges::reverse(path.operators);
        return path;
    }

    const Graph &m_graph;
    NodeNames m_names;
    std::unordered_map<std::string, std::optional<NamedOperators>> m_found;
    std::unordered_map<OperatorId, double> m_flops;
    ImportedProfile m_import;
};

} // namespace

std::string_view toString(ProfiledPath::Along along)
{
    switch (along) {
    case ProfiledPath::Along::Edges: return "the model's edges";
    case ProfiledPath::Along::Streams: return "streams";
    case ProfiledPath::Along::Events: return "streams and events";
    }
    return {};
}

ImportedProfile bindProfile(const Model &model, Profile profile)
{
    return ProfileBinding(model, std::move(profile)).bind();
}

Result<ImportedProfile> importProfile(const Model &model, std::span<const std::string> files,
                                      const std::stop_token &stop)
{
    TRY_AS(auto profile, readProfile(files, stop));
    return bindProfile(model, std::move(profile));
}

Result<ImportedProfile> importProfile(const Model &model, std::vector<ProfileFile> files, const std::stop_token &stop)
{
    TRY_AS(auto profile, profileOf(std::move(files), stop));
    return bindProfile(model, std::move(profile));
}

} // namespace stagecraft
