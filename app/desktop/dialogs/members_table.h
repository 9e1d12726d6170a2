#pragma once

// The members of a pool while it measures, a row each: what it does, what it has timed, and why it takes no part.

#include "device/member_counts.h"

#include <QTreeWidget>

#include <vector>

namespace stagecraft {

class MembersTable : public QTreeWidget {
public:
    explicit MembersTable(QWidget *parent = nullptr);

    void setCounts(const std::vector<MemberCounts> &members);
};

// "3 of 4 members"
[[nodiscard]] QString membersText(const std::vector<MemberCounts> &members);

} // namespace stagecraft
