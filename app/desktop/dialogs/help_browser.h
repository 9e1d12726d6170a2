#pragma once

// Shows the pages of resources/help in the theme's colours. "reproduction.html" is not a file: it is generated from
// resources/help/reproduction.json, the computed reproduction of the paper for this version, with plots drawn for the
// current screen. A test recomputes the file and fails if it is out of date. "keys/graph" is the section of the first
// page about the keys of that panel.

#include "reproduction/reproduction.h"

#include <QTextBrowser>

#include <optional>

namespace stagecraft {

class HelpBrowser : public QTextBrowser {
    Q_OBJECT

public:
    explicit HelpBrowser(QWidget *parent = nullptr);

protected:
    QVariant loadResource(int type, const QUrl &name) override;
    void changeEvent(QEvent *event) override;

private:
    void applyTheme();
    [[nodiscard]] QString reproductionPage();
    [[nodiscard]] QImage plot(const QString &id);

    std::optional<Reproduction> m_reproduction; // read on first use
};

} // namespace stagecraft
