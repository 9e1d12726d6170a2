#pragma once

// Studies: the trade-off of r and s, schedules made for other batch sizes and devices, and gains by size.

#include "desktop/areas/area.h"
#include "results/schedule_result.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

class PruningStudies;
class PruningView;
class SizeStudies;
class SizeView;
class SpecializationStudies;
class SpecializationView;
struct DeviceInfo;

class StudiesArea : public Area {
    Q_OBJECT

public:
    explicit StudiesArea(const AreaContext &context);
    ~StudiesArea() override;

    void showOthersFirst(bool othersGoFirst); // with the device
    void offerDevices(const std::vector<DeviceInfo> &devices);

    [[nodiscard]] std::vector<Dock> docks() const override;
    void refresh() override;
    void cancel() override;
    [[nodiscard]] bool isBusy() const override;
    void store(Session &session) const override;
    void restore(const Session &session) override;
    void addTo(ExportSubject &subject) const override;

signals:
    void modelWanted(const QString &spec);         // of a generator, at a size
    void batchWanted(std::int64_t batch);          // of the open model
    void besideWanted(stagecraft::ResultId other); // than the current one, which it is compared with

private:
    PruningView *m_pruning;
    PruningStudies *m_pruningStudies;
    SpecializationView *m_specialization;
    SpecializationStudies *m_specializationStudies;
    SizeView *m_sizes;
    SizeStudies *m_sizeStudies;
};

} // namespace stagecraft
