#include "desktop/dialogs/split_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>

namespace stagecraft {

SplitDialog::SplitDialog(const QString &op, int parts, int most, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(QStringLiteral("Split %1").arg(op));
    auto *form = new QFormLayout(this);
    auto *count = new QSpinBox(this);
    count->setObjectName(QStringLiteral("parts"));
    count->setAccessibleName(QStringLiteral("Parts"));
    count->setRange(1, most);
    count->setSpecialValueText(QStringLiteral("whole"));
    count->setValue(parts == 1 ? 2 : parts);
    form->addRow(QStringLiteral("&Parts"), count);
    auto *what = new QLabel(QStringLiteral("Each part computes some of its channels or columns. They may run side by "
                                           "side; a concat behind them joins what they make."),
                            this);
    what->setWordWrap(true);
    form->addRow(what);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    form->addRow(buttons);
    QPushButton *ok = buttons->button(QDialogButtonBox::Ok);
    const auto offer = [ok, parts](int value) { ok->setEnabled(value != parts); };
    offer(count->value());
    connect(count, &QSpinBox::valueChanged, this, offer);
    connect(buttons, &QDialogButtonBox::accepted, this, [this, count] {
        emit chosen(count->value());
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    count->setFocus();
    count->selectAll();
}

} // namespace stagecraft
