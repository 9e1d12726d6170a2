// The export dialog: what it shows of an export before it is written, and writing it.

#include "desktop/dialogs/export_dialog.h"

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/export_picture.h"
#include "flow/export/shelf_report.h"
#include "pictures/draw_export.h"
#include "support/error_text.h"
#include "support/output_file.h"
#include "widgets/base/format.h"
#include "wiring/cuda_export.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>

#include <cmath>
#include <utility>

namespace stagecraft {
namespace {

// Text editors take seconds for very long lines.
QString withShorterLines(const QString &text)
{
    constexpr qsizetype kLongest = 1000;
    constexpr qsizetype kShown = 160;
    QStringList lines;
    for (const QString &line : text.split('\n')) {
        if (line.size() <= kLongest) {
            lines += line;
            continue;
        }
        for (qsizetype at = 0; at < line.size(); at += kShown)
            lines += line.mid(at, kShown);
    }
    return lines.join('\n');
}

QString fileText(std::uint64_t bytes)
{
    return bytes == 0 ? QString() : bytesText(static_cast<double>(bytes));
}

} // namespace

void ExportDialog::makePreview()
{
    m_previewed.clear();
    m_files->clear();
    m_preview->clear();
    m_picture->clear();
    m_drawn.reset();
    m_facts->clear();
    const QString why = whyNot();
    showTrouble(why);
    m_write->setEnabled(why.isEmpty());
    if (!why.isEmpty() || request().format->isPicture()) {
        m_previewing.cancel();
        if (why.isEmpty())
            drawPreview();
        return;
    }
    if (m_of->currentIndex() == 1) {
        m_previewing.cancel();
        reportPreview();
        return;
    }
    m_facts->setText(QStringLiteral("making the preview..."));
    m_previewing.start([this, request = request()](const JobLane::Context &) -> JobLane::Delivery {
        auto previewed = previewExport(request);
        return [this, previewed = std::move(previewed)] {
            if (previewed)
                showPreview(*previewed);
            else
                showTrouble(QString::fromStdString(errorText(previewed.error())));
        };
    });
}

// On this thread: widgets paint it.
void ExportDialog::drawPreview()
{
    const ExportRequest wanted = request();
    const Picture drawn = picture();
    auto file = pictureFile(drawn, *wanted.format, wanted.style.scale);
    if (!file) {
        showTrouble(QString::fromStdString(errorText(file.error())));
        m_write->setEnabled(false);
        return;
    }
    m_drawn = std::move(*file);
    m_picture->showPicture(drawn);
    QStringList facts{QStringLiteral("%1 × %2 %3")
                          .arg(std::ceil(drawn.size.width() * m_drawn->scale))
                          .arg(std::ceil(drawn.size.height() * m_drawn->scale))
                          .arg(QString::fromUtf8(wanted.format->unit)),
                      fileText(m_drawn->bytes.size())};
    for (const std::string &remark : m_drawn->remarks)
        facts << QString::fromStdString(remark);
    m_facts->setText(facts.join(QStringLiteral(", ")));
}

// On this thread: it has pictures.
void ExportDialog::reportPreview()
{
    const ExportRequest wanted = request();
    auto page = shelfReport(shelvedGroups(*m_subject.shelf), wanted.model->name, wanted.style.program,
                            {m_findDevice, checkOnCuda, drawExport});
    if (!page) {
        showTrouble(QString::fromStdString(errorText(page.error())));
        m_write->setEnabled(false);
        return;
    }
    m_drawn = DrawnFile{std::move(*page)};
    showPreview({previewedFile({}, m_drawn->bytes)});
}

void ExportDialog::showPreview(const std::vector<PreviewedFile> &files)
{
    m_previewed = files;
    std::uint64_t bytes = 0;
    for (const PreviewedFile &file : files) {
        bytes += file.bytes;
        m_files->addItem(QStringLiteral("%1   %2").arg(QString::fromStdString(file.name), fileText(file.bytes)));
    }
    m_facts->setText(files.size() > 1 ? QStringLiteral("%1 files, %2").arg(files.size()).arg(fileText(bytes))
                                      : fileText(bytes));
    showFile(0);
}

void ExportDialog::showFile(int index)
{
    if (index < 0 || static_cast<std::size_t>(index) >= m_previewed.size())
        return;
    const PreviewedFile &file = m_previewed[static_cast<std::size_t>(index)];
    QString text = withShorterLines(QString::fromStdString(file.text));
    if (file.text.size() < file.bytes && file.text.size() > 1000)
        text += QStringLiteral("\n... (the first %1 of %2)").arg(fileText(file.text.size()), fileText(file.bytes));
    m_preview->setPlainText(text);
}

void ExportDialog::write()
{
    const QString path = m_path->text().trimmed();
    const ExportFormat &format = *request().format;
    const std::string output = QFile::encodeName(path).toStdString();
    if (const auto named = checkExportName(format, output); !named || path.isEmpty()) {
        showTrouble(path.isEmpty() ? QStringLiteral("Say where to write it.")
                                   : QString::fromStdString(errorText(named.error())));
        return;
    }
    const bool isReplaced = !format.isFolder() && replacesContent(output);
    const bool areWeightsReplaced = format.copiesModel && !refuseReplacingWeights(output);
    if ((isReplaced || areWeightsReplaced) && path != m_mayReplace)
        askToReplace(path);
    else
        writeTo(path);
}

void ExportDialog::askToReplace(const QString &path)
{
    const std::string file = QFile::encodeName(path).toStdString();
    QString name = QFileInfo(path).fileName();
    QString what;
    if (const FileKind there = fileKindOf(file); there != FileKind::Other)
        what = QStringLiteral("It is %1. ").arg(QString::fromStdString(std::string(nameOf(there))));
    if (request().format->copiesModel && !refuseReplacingWeights(file))
        name += QStringLiteral(" and %1.data").arg(name);
    auto *box = new QMessageBox(QMessageBox::Question, QStringLiteral("Replace a file"),
                                QStringLiteral("Replace %1?").arg(name), QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(what + QStringLiteral("What is there is lost."));
    const QPushButton *replace = box->addButton(QStringLiteral("&Replace"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    connect(replace, &QPushButton::clicked, this, [this, path] {
        m_mayReplace = path;
        writeTo(path);
    });
    box->open();
}

void ExportDialog::writeTo(const QString &path)
{
    const std::string output = QFile::encodeName(path).toStdString();
    ExportRequest wanted = request();
    wanted.isDrawn = m_drawn.has_value();
    wanted.replacesAnyWeights = path == m_mayReplace;
    showTrouble({});
    m_facts->setText(QStringLiteral("writing..."));
    m_writing.start([this, wanted, output, path, find = m_findDevice,
                     drawn = m_drawn](const JobLane::Context &context) -> JobLane::Delivery {
        const ExportTools tools{find, checkOnCuda, [&drawn](const ExportRequest &) -> Result<DrawnFile> {
                                    return drawn.value_or(DrawnFile{});
                                }};
        auto done = exportResults(wanted, output, tools, context.stop);
        return [this, path, done = std::move(done)] {
            if (!done) {
                showTrouble(QString::fromStdString(errorText(done.error())));
                return;
            }
            QStringList facts{done->files == 1 ? QStringLiteral("wrote 1 file")
                                               : QStringLiteral("wrote %1 files").arg(done->files),
                              fileText(done->bytes)};
            for (const std::string &remark : done->remarks)
                facts << QString::fromStdString(remark);
            m_facts->setText(facts.join(QStringLiteral(", ")));
            keepDialogFolder(path);
            m_mayReplace = path;
            emit written(path);
        };
    });
}

} // namespace stagecraft
