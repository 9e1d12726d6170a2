#include "desktop/dialogs/export_preview.h"

#include "desktop/dialogs/export_picture.h"
#include "widgets/base/format.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QVBoxLayout>

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

} // namespace

QString fileSizeText(std::uint64_t bytes)
{
    return bytes == 0 ? QString() : bytesText(static_cast<double>(bytes));
}

ExportPreview::ExportPreview(QComboBox *files, QWidget *parent)
    : QWidget(parent), m_files(files), m_text(new QPlainTextEdit(this)), m_picture(new PicturePreview(this))
{
    m_text->setReadOnly(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setAccessibleName(QStringLiteral("What will be written"));
    auto *all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_text);
    all->addWidget(m_picture);
    connect(m_files, &QComboBox::currentIndexChanged, this, &ExportPreview::showFile);
}

void ExportPreview::setForPicture(bool picture)
{
    m_text->setVisible(!picture);
    m_picture->setVisible(picture);
}

void ExportPreview::clear()
{
    m_previewed.clear();
    m_files->clear();
    m_text->clear();
    m_picture->clear();
}

QString ExportPreview::text() const
{
    return m_text->toPlainText();
}

QStringList ExportPreview::files() const
{
    QStringList names;
    for (const PreviewedFile &file : m_previewed)
        names += QString::fromStdString(file.name);
    return names;
}

void ExportPreview::showPicture(const Picture &picture)
{
    m_picture->showPicture(picture);
}

QString ExportPreview::showFiles(const std::vector<PreviewedFile> &files)
{
    m_previewed = files;
    std::uint64_t bytes = 0;
    for (const PreviewedFile &file : files) {
        bytes += file.bytes;
        m_files->addItem(QStringLiteral("%1   %2").arg(QString::fromStdString(file.name), fileSizeText(file.bytes)));
    }
    showFile(0);
    return files.size() > 1 ? QStringLiteral("%1 files, %2").arg(files.size()).arg(fileSizeText(bytes))
                            : fileSizeText(bytes);
}

void ExportPreview::showFile(int index)
{
    if (index < 0 || static_cast<std::size_t>(index) >= m_previewed.size())
        return;
    const PreviewedFile &file = m_previewed[static_cast<std::size_t>(index)];
    QString text = withShorterLines(QString::fromStdString(file.text));
    if (file.text.size() < file.bytes && file.text.size() > 1000)
        text +=
            QStringLiteral("\n... (the first %1 of %2)").arg(fileSizeText(file.text.size()), fileSizeText(file.bytes));
    m_text->setPlainText(text);
}

} // namespace stagecraft
