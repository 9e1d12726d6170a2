#pragma once

// What is open: the model and device of the next search, the results, and how they are added and edited. Lives on the
// UI thread.

#include "desktop/document/new_results.h"
#include "desktop/document/results.h"

#include <QObject>

namespace stagecraft {

class Document : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject *parent = nullptr);

    [[nodiscard]] const Places &places() const { return m_places; }
    [[nodiscard]] NextSearch *next() const { return m_next; }
    [[nodiscard]] Editor *editor() const { return m_editor; }
    [[nodiscard]] Results *results() const { return m_results; }
    [[nodiscard]] NewResults &added() { return m_added; }

private:
    Shelf m_shelf;
    Places m_places{m_shelf};
    NextSearch *m_next;
    Editor *m_editor;
    Results *m_results;
    NewResults m_added;
};

} // namespace stagecraft
