#pragma once

// Which models are open: networks with sizes, one model beside another, as one graph, and a model taken away again.

#include "desktop/areas/area.h"

#include <cstddef>

namespace stagecraft {

class GeneratorDialog;
struct OpenRequest;

class ModelsArea : public Area {
    Q_OBJECT

public:
    explicit ModelsArea(const AreaContext &context);

    void refresh() override;

signals:
    void modelWanted(const QString &spec);
    void readingWanted(const stagecraft::OpenRequest &request); // of a model that is open, with others or without

private:
    void chooseGenerator();
    void chooseAdded();
    void chooseRemoved();
    void add(const QString &spec);
    void remove(std::size_t model);
};

} // namespace stagecraft
