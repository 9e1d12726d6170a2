#include "desktop/dialogs/stated_dialog.h"

#include "desktop/dialogs/dialog_folder.h"
#include "results/files/stated_latency.h"
#include "support/error_text.h"
#include "support/text_file.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace stagecraft {

StatedDialog::StatedDialog(QWidget *parent)
    : QDialog(parent), m_name(new QLineEdit(QStringLiteral("What I run today"), this)), m_latency(new QLineEdit(this)),
      m_isBaseline(new QCheckBox(QStringLiteral("Hold the other results &against it"), this)),
      m_trouble(new QLabel(this))
{
    setWindowTitle(QStringLiteral("What I run today"));
    m_name->setAccessibleName(QStringLiteral("Name"));
    m_latency->setPlaceholderText(QStringLiteral("3.9 ms"));
    m_latency->setAccessibleName(QStringLiteral("Latency with its unit"));
    m_latency->setToolTip(QStringLiteral("A number with its unit: s, ms or us"));
    m_isBaseline->setChecked(true);
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_trouble->setWordWrap(true);
    auto *form = new QFormLayout(this);
    form->addRow(QStringLiteral("&Name"), m_name);
    form->addRow(QStringLiteral("&Latency"), m_latency);
    form->addRow(QString(), m_isBaseline);
    form->addRow(m_trouble);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    auto *file = buttons->addButton(QStringLiteral("From &file..."), QDialogButtonBox::ActionRole);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &StatedDialog::take);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, &StatedDialog::chooseFile);
    connect(m_latency, &QLineEdit::textEdited, this, [this] {
        m_reading.cancel();
        m_file.clear();
    });
    connect(&m_reading, &JobLane::workFailed, m_trouble, &QLabel::setText);
    connect(&m_reading, &JobLane::busyChanged, buttons->button(QDialogButtonBox::Ok), &QWidget::setDisabled);
    m_latency->setFocus();
}

void StatedDialog::chooseFile()
{
    const QString path =
        QFileDialog::getOpenFileName(this, QStringLiteral("A latency from a file"), dialogFolder(),
                                     QStringLiteral("Answers and texts (*.json *.txt);;All files (*)"));
    if (!path.isEmpty())
        readFile(path);
}

void StatedDialog::readFile(const QString &path)
{
    m_reading.start([this, path](const JobLane::Context &) -> JobLane::Delivery {
        const auto us = readTextFile(QFile::encodeName(path).toStdString()).and_then([](const std::string &text) {
            return latencyUsFromFile(text);
        });
        if (!us)
            return [this, reason = errorText(us.error())] { m_trouble->setText(QString::fromStdString(reason)); };
        return [this, path, us = *us] {
            m_trouble->clear();
            m_file = path;
            m_latency->setText(QStringLiteral("%1 us").arg(us, 0, 'g', 15));
        };
    });
}

void StatedDialog::take()
{
    const auto us = latencyUsFromText(m_latency->text().toStdString());
    if (!us) {
        m_trouble->setText(QString::fromStdString(errorText(us.error())));
        m_latency->setFocus();
        return;
    }
    const QString name = m_name->text().trimmed();
    emit stated({name.isEmpty() ? QStringLiteral("What I run today") : name, *us, m_file, m_isBaseline->isChecked()});
    accept();
}

} // namespace stagecraft
