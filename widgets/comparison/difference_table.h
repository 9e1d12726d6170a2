#pragma once

// Where compared schedules differ in time, as a tree: the whole, what lies between blocks, each block with its barriers
// and spans, and the paired stages of a span. The rows of a level add up to the row above them. All are compared with
// A. Where timelines say where time goes, a column names the parts that change most. Choosing a row asks to show it.
// Lives on the UI thread.

#include "widgets/schedule/compared_schedules.h"

#include <QList>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QStackedLayout;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagecraft {

class DifferenceTable : public QWidget {
    Q_OBJECT

public:
    explicit DifferenceTable(QWidget *parent = nullptr);

    // Null: nothing is compared. There is one letter and one name per side.
    void setCompared(std::shared_ptr<const ComparedSchedules> compared, const QStringList &letters,
                     const QStringList &names);
    void setCurrentSpan(std::optional<std::size_t> span); // emits no signal

    [[nodiscard]] QTreeWidget *tree();
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void blockChosen(std::size_t block);
    void spanChosen(std::size_t span);
    void stageChosen(std::size_t side, std::size_t stage);
    void menuRequested(const QPoint &globalPosition);

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    enum class Kind { Whole, Between, Block, Run, Span, Pair };
    struct Row { // what a row refers to
        Kind kind = Kind::Whole;
        std::size_t block = 0;
        std::size_t span = 0;
        std::size_t side = 0;
        std::size_t stage = 0;
    };

    void fillWhenSeen(); // a hidden table costs nothing
    void fill();
    void fillHeader();
    void fillHeaderTips(); // names
    void fitTitles();
    [[nodiscard]] QTreeWidgetItem *makeBlock(const BlockDifference &block,
                                             std::size_t firstSpan); // not in the tree yet
    void fillPairs(QTreeWidgetItem *item, std::size_t span);
    [[nodiscard]] QTreeWidgetItem *makeBarriers(QTreeWidgetItem *parent, const QString &where,
                                                const BarrierDifference &barriers);
    [[nodiscard]] QList<QTreeWidgetItem *> makeBetween();
    // A null parent: not in the tree yet.
    QTreeWidgetItem *add(QTreeWidgetItem *parent, const Row &row, const QString &title);
    void setNumbers(QTreeWidgetItem *item, const LatenciesUs &us) const;
    // What changes against A. `sides`: the stages of each; of the whole, none.
    void setWhy(QTreeWidgetItem *item, const std::vector<StageRange> &sides) const;
    void setSide(QTreeWidgetItem *item, std::size_t side, std::optional<double> us, std::optional<double> ofA) const;
    void choose(const QTreeWidgetItem *item);
    [[nodiscard]] double perImage(std::size_t side, double us) const;
    [[nodiscard]] int columnOf(std::size_t side) const;    // the latency's column; difference and per cent follow
    [[nodiscard]] int whyColumnOf(std::size_t side) const; // behind the numbers
    [[nodiscard]] TimeParts partsOf(std::size_t side, const std::vector<StageRange> &sides) const; // per image

    QTreeWidget *m_tree;
    QLabel *m_hint;
    QStackedLayout *m_stack;
    std::shared_ptr<const ComparedSchedules> m_compared;
    QStringList m_letters;
    QStringList m_names;
    bool m_isPerImage = false;       // the batches differ
    bool m_hasWhy = false;           // A and another say where their time goes
    bool m_areBarriersKnown = false; // what they take; else they are a part of what lies between stages
    std::vector<Row> m_rows;
    std::vector<QTreeWidgetItem *> m_spanItems; // by span
    std::optional<std::size_t> m_currentSpan;
    bool m_isFilling = false;
    bool m_isStale = false; // filled when it becomes visible
};

} // namespace stagecraft
