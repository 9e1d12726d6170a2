#include "desktop/dialogs/members_table.h"

#include "widgets/base/format.h"

#include <QHeaderView>

#include <algorithm>

namespace stagecraft {
namespace {

enum MemberColumn { MemberName, MemberState, MemberStages, MemberInVain, MemberRate, MemberLost };

QString stateOf(const MemberCounts &member)
{
    if (!member.leftOut.empty())
        return QStringLiteral("left out: %1").arg(QString::fromStdString(member.leftOut));
    return member.isAtWork ? QStringLiteral("measures") : QStringLiteral("waits for a stage");
}

QString rateOf(const MemberCounts &member)
{
    const auto timed = static_cast<double>(member.stages + member.inVain + member.inCommon);
    return member.seconds > 0 ? QString::number(timed / member.seconds, 'f', 1) : QStringLiteral("-");
}

} // namespace

MembersTable::MembersTable(QWidget *parent) : QTreeWidget(parent)
{
    setObjectName(QStringLiteral("members"));
    setAccessibleName(QStringLiteral("Members of the pool"));
    setHeaderLabels({QStringLiteral("Member"), QStringLiteral("State"), QStringLiteral("Stages"),
                     QStringLiteral("In vain"), QStringLiteral("A second"), QStringLiteral("Lost")});
    setRootIsDecorated(false);
    setSelectionMode(QAbstractItemView::NoSelection);
    header()->setStretchLastSection(false);
    for (const MemberColumn column : {MemberName, MemberStages, MemberInVain, MemberRate, MemberLost})
        header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(MemberState, QHeaderView::Stretch);
    headerItem()->setToolTip(MemberInVain, QStringLiteral("Timed ahead, and not asked for so far"));
    headerItem()->setToolTip(MemberRate, QStringLiteral("Stages that it times a second, while it measures"));
    headerItem()->setToolTip(MemberLost, QStringLiteral("How often it was lost, and its stage given to another"));
}

void MembersTable::setCounts(const std::vector<MemberCounts> &members)
{
    while (topLevelItemCount() > static_cast<int>(members.size()))
        delete takeTopLevelItem(topLevelItemCount() - 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const MemberCounts &member = members[i];
        QTreeWidgetItem *row = topLevelItem(static_cast<int>(i));
        if (!row)
            row = new QTreeWidgetItem(this);
        const QStringList texts{QString::fromStdString(member.device),
                                stateOf(member),
                                countText(member.stages),
                                countText(member.inVain),
                                rateOf(member),
                                countText(member.timesLost)};
        for (int column = 0; column < texts.size(); ++column) {
            row->setText(column, texts[column]);
            row->setTextAlignment(column, column > MemberState ? Qt::AlignRight | Qt::AlignVCenter
                                                               : Qt::AlignLeft | Qt::AlignVCenter);
        }
        row->setToolTip(MemberState, texts[MemberState]);
    }
}

QString membersText(const std::vector<MemberCounts> &members)
{
    const auto taking = std::ranges::count_if(members, [](const MemberCounts &each) { return each.leftOut.empty(); });
    return QStringLiteral("%1 of %2").arg(taking).arg(plural(static_cast<std::int64_t>(members.size()), "member"));
}

} // namespace stagecraft
