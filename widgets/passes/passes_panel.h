#pragma once

// The passes that formed the units of the model: a list with a box to switch each off, what the chosen one changed, and
// the graph before and after it. Reads and computes nothing: it asks for the steps of a pass while it is seen, and for
// another reading of the model when a box is pressed. Lives on the UI thread.

#include "model/model.h"
#include "model/rewrite/pass_step.h"
#include "widgets/graph/drawing/dot_runner.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QPushButton;
class QSplitter;
class QStackedLayout;

namespace stagecraft {

class BeforeAfter;
class ChangeList;
class ElidedLabel;
class PassList;
class Selection;

class PassesPanel : public QWidget {
    Q_OBJECT

public:
    explicit PassesPanel(Selection *selection, QWidget *parent = nullptr);

    void setDot(const DotRunnerFactory &dotRunnerFactory);
    void setInFront(bool isInFront);                   // of the tabs that share its place
    void setModel(std::shared_ptr<const Model> model); // null shows the empty state
    void setReading(const QString &text);              // what is being read; empty: nothing
    // Answers to stepsWanted(); those of another model or pass are passed over. A null model: whatever was wanted.
    void setSteps(const std::shared_ptr<const Model> &model, const QString &pass, std::vector<PassStep> steps);
    void setNoSteps(const std::shared_ptr<const Model> &model, const QString &pass, const QString &why);

    [[nodiscard]] PassList *passes() const { return m_passes; }
    [[nodiscard]] ChangeList *changes() const { return m_changes; }
    [[nodiscard]] BeforeAfter *graphs() const { return m_graphs; }
    [[nodiscard]] QString emptyText() const; // empty: passes are shown
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] bool isBusy() const; // steps are awaited or laid out

    [[nodiscard]] QSize sizeHint() const override;

signals:
    void openRequested();
    void stepsWanted(const QString &pass);
    void switchRequested(const QString &pass, bool on);
    void unitChosen(stagecraft::OperatorId unit);
    void drawingFinished();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    void showEmpty(const QString &text);
    void showPass();
    void showChange();
    [[nodiscard]] QString textWithoutChanges(const PassReport *of) const;
    void chooseChange();
    void showStatus();
    void selectionChanged();
    void requestSteps();
    void dropSteps();
    [[nodiscard]] bool isSeen() const;
    [[nodiscard]] const PassReport *report() const; // of the chosen pass; null: it did not run

    Selection *m_selection;
    std::shared_ptr<const Model> m_model;
    QString m_reading;
    QString m_wanted; // the pass whose steps are awaited; empty: none
    QString m_stepsOf;
    std::vector<PassStep> m_steps;
    bool m_isChoosing = false;
    bool m_isArranged = false; // by the user

    PassList *m_passes;
    ChangeList *m_changes;
    BeforeAfter *m_graphs;
    QSplitter *m_lists;
    QSplitter *m_all;
    ElidedLabel *m_status;
    QWidget *m_content;
    QWidget *m_empty;
    QLabel *m_emptyText;
    QPushButton *m_open;
    QStackedLayout *m_stack;
};

} // namespace stagecraft
