#pragma once

// Shows the pages of resources/help in the colours of the theme. "reproduction.html" is no file: it is made from
// resources/help/reproduction.json, what the reproduction of the paper computed for this version of the program, with
// its plots drawn for the screen at hand. A test computes it anew and fails where the file is out of date.

#include "services/reproduction.h"

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

    std::optional<Reproduction> m_reproduction; // read when it is first asked for
};

} // namespace stagecraft
