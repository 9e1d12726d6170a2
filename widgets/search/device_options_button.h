#pragma once

// How the device beside it computes and launches: a button that says what was chosen, with a menu of what may be.
// Independent of devices: each choice is a device by its id. Lives on the UI thread.

#include <QString>
#include <QToolButton>

#include <vector>

class QMenu;

namespace stagecraft {

struct ShownOption {
    QString title;
    QString id; // the device with it
    bool isChosen = false;
    QString whyNot = {}; // shown behind the title, which then cannot be chosen
};

struct ShownOptions {
    struct Group {
        QString title;
        std::vector<ShownOption> choices; // of which one is chosen
    };

    QString told; // what was chosen, in short: "fp16, host"; empty: nothing
    std::vector<Group> groups;
    QString whyNone = {}; // without groups: why nothing can be chosen
};

class DeviceOptionsButton : public QToolButton {
    Q_OBJECT

public:
    explicit DeviceOptionsButton(QWidget *parent = nullptr);

    void setOptions(const ShownOptions &options);
    void setNarrow(bool isNarrow); // without words
    void openMenu();

signals:
    void deviceWanted(const QString &id);

private:
    void showTold();

    QMenu *m_menu;
    QString m_told;
    bool m_isNarrow = false;
};

} // namespace stagecraft
