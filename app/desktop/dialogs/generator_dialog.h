#pragma once

// Asks for a built-in network and its sizes: each parameter with its range, what it means, and the name that the
// command line takes. Beside a model that is open, for any built-in network, or a file instead. Lives on the UI thread.

#include "model/generator.h"

#include <QDialog>
#include <QString>

#include <memory>

namespace stagecraft {

class GeneratorDialog : public QDialog {
    Q_OBJECT

public:
    explicit GeneratorDialog(QWidget *parent, const QString &beside = {}); // the name of the open model
    ~GeneratorDialog() override;

    void show(const QString &spec); // with its values, if it is one of a generator
    [[nodiscard]] QString spec() const;

signals:
    void chosen(const QString &spec);
    void fileWanted(); // beside a model

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace stagecraft
