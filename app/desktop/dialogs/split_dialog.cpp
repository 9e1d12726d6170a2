#include "desktop/dialogs/split_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

namespace stagecraft {

SplitDialog::SplitDialog(const QString &op, const SplitChoices &choices, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(QStringLiteral("Split %1").arg(op));
    auto *form = new QFormLayout(this);
    auto *count = new QSpinBox(this);
    count->setObjectName(QStringLiteral("parts"));
    count->setAccessibleName(QStringLiteral("Parts"));
    count->setSpecialValueText(QStringLiteral("whole"));
    form->addRow(QStringLiteral("&Parts"), count);
    auto *rows = new QCheckBox(QStringLiteral("By &rows"), this);
    rows->setToolTip(QStringLiteral("Each part computes some rows of the result, from a slice of what it reads"));
    rows->setChecked(choices.byRows || choices.most == 1);
    rows->setEnabled(choices.most > 1 && choices.mostRows > 1);
    form->addRow(QString(), rows);
    auto *what = new QLabel(QStringLiteral("Each part computes some of its channels or columns, or some rows. They may "
                                           "run side by side; a concat behind them joins what they make."),
                            this);
    what->setWordWrap(true);
    form->addRow(what);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    form->addRow(buttons);
    QPushButton *ok = buttons->button(QDialogButtonBox::Ok);
    const auto offer = [ok, count, rows, choices] {
        count->setRange(1, rows->isChecked() ? choices.mostRows : choices.most);
        const bool isWhole = count->value() == 1;
        ok->setEnabled(count->value() != choices.parts || (!isWhole && rows->isChecked() != choices.byRows));
    };
    offer();
    count->setValue(choices.parts == 1 ? 2 : choices.parts);
    offer();
    connect(count, &QSpinBox::valueChanged, this, offer);
    connect(rows, &QCheckBox::toggled, this, offer);
    connect(buttons, &QDialogButtonBox::accepted, this, [this, count, rows] {
        emit chosen(count->value(), count->value() > 1 && rows->isChecked());
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    count->setFocus();
    count->selectAll();
}

} // namespace stagecraft
