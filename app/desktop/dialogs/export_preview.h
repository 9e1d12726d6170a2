#pragma once

// What an export will write, as the export dialog shows it: a picture, or one file of several as text. Lives on the UI
// thread.

#include "flow/export_results.h"
#include "pictures/picture.h"

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <vector>

class QComboBox;
class QPlainTextEdit;

namespace stagecraft {

class PicturePreview;

[[nodiscard]] QString fileSizeText(std::uint64_t bytes); // "2.81 MiB"; empty: unknown

class ExportPreview : public QWidget {
    Q_OBJECT

public:
    // `files`: lists the files, and chooses the one that is shown.
    ExportPreview(QComboBox *files, QWidget *parent);

    void setForPicture(bool picture); // else for text
    void clear();
    void showPicture(const Picture &picture);
    QString showFiles(const std::vector<PreviewedFile> &files); // returns "5 files, 2.81 MiB"
    [[nodiscard]] QString text() const;                         // the file that is shown
    [[nodiscard]] QStringList files() const;                    // their names

private:
    void showFile(int index);

    std::vector<PreviewedFile> m_previewed;
    QComboBox *m_files;
    QPlainTextEdit *m_text;
    PicturePreview *m_picture;
};

} // namespace stagecraft
