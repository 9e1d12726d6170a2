#pragma once

// The list of the shelf: groups with their results as rows, in a model of its own. Groups fold away, and stay so
// through changes of the shelf; what is selected stays, too, and so does the place that is seen.

#include "widgets/shelf/shelf_rows.h"

#include <QListView>

#include <functional>
#include <vector>

namespace stagecraft {

class ShelfModel;

class ShelfList : public QListView {
public:
    explicit ShelfList(QWidget *parent = nullptr);

    // Asked for when one is shown.
    void setToolTips(std::function<QString(ResultId id)> toolTip);

    // Where the same results are in the same places, values change, but nothing moves and no editing is lost.
    void setGroups(std::vector<ShelfRowGroup> groups);
    [[nodiscard]] const std::vector<ShelfRowGroup> &groups() const { return m_groups; }
    // In the place of the row of the same result, which is in the list.
    void setRow(const ShelfRow &row);
    // Whether rows are being made anew: then the selection changes, and nobody changed it.
    [[nodiscard]] bool isFilling() const { return m_isFilling; }
    [[nodiscard]] bool isEditing() const { return state() == EditingState; }

    // Not while a name is edited.
    void setFolded(const ShelfRowGroup &of, bool folded);
    [[nodiscard]] bool isFolded(const ShelfRowGroup &group) const;

    [[nodiscard]] const ShelfRowGroup *groupOf(const RunContext &settings) const; // null: there is none
    [[nodiscard]] const ShelfRowGroup *groupAt(const QModelIndex &index) const; // of a title or a row; null for neither
    [[nodiscard]] QModelIndex titleOf(const ShelfRowGroup &group) const;
    [[nodiscard]] QModelIndex indexOf(ResultId id) const; // invalid: it is not in the list, or in a folded group

    [[nodiscard]] static bool isResult(const QModelIndex &index); // and no title
    [[nodiscard]] static ShelfRow rowAt(const QModelIndex &index);
    [[nodiscard]] QStyleOptionViewItem optionAt(const QModelIndex &index) const;

private:
    [[nodiscard]] bool hasSamePlaces(const std::vector<ShelfRowGroup> &next) const;
    void fillAnew();
    void fillInPlace();

    ShelfModel *m_model = nullptr;
    std::vector<ShelfRowGroup> m_groups;
    std::vector<RunContext> m_foldedGroups;
    bool m_isFilling = false;
};

} // namespace stagecraft
