#pragma once

// The status bar's facts: device, model, and the search behind the current result.

#include "desktop/areas/area.h"

class QLabel;

namespace stagecraft {

class ElidedLabel;

class StatusArea : public Area {
    Q_OBJECT

public:
    explicit StatusArea(const AreaContext &context);

    void changePalette() override;

private:
    void show();

    QLabel *m_provenance;
    ElidedLabel *m_device;
    ElidedLabel *m_model;
    ElidedLabel *m_search;
};

} // namespace stagecraft
