#include "desktop/dialogs/write_picture.h"

#include "support/output_file.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QImage>

namespace stagecraft {

Result<void> writePicture(const QImage &picture, const QString &path)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    const QByteArray suffix = QFileInfo(path).suffix().toLatin1();
    const std::string file = QFile::encodeName(path).toStdString();
    if (!picture.save(&buffer, suffix.isEmpty() ? "png" : suffix.constData()))
        return within(file, Error{ErrorCode::InvalidInput,
                                  "this kind of picture is not written",
                                  "Choose a name that ends in .png or .jpg",
                                  {}});
    return writeFile(file, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

} // namespace stagecraft
