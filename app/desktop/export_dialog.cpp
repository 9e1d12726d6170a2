#include "desktop/export_dialog.h"

#include "desktop/export_picture.h"
#include "pictures/draw_export.h"
#include "services/error_text.h"
#include "services/shelf_report.h"
#include "widgets/format.h"
#include "widgets/theme.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace stagecraft {
namespace {

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

constexpr std::size_t kPreviewBytes = std::size_t{1} << 16U; // of a report

// "C++ project", as a person calls the format.
QString titleOf(const ExportFormat &format)
{
    static const std::pair<std::string_view, const char *> titles[]{
        {"json", "Schedule file"},      {"ios-json", "IOS JSON"}, {"csv", "CSV table"},
        {"markdown", "Markdown table"}, {"dot", "Graphviz DOT"},  {"chrome-trace", "Chrome trace"},
        {"perfetto", "Perfetto trace"}, {"cpp", "C++ project"},   {"pytorch", "PyTorch module"},
        {"onnx", "ONNX with stages"},   {"svg", "SVG picture"},   {"pdf", "PDF picture"},
        {"png", "PNG picture"},         {"html", "HTML report"},
    };
    const auto *const found = std::ranges::find(titles, format.name, &std::pair<std::string_view, const char *>::first);
    return found == std::end(titles) ? textOf(format.name) : QString::fromLatin1(found->second);
}

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

ExportDialog::ExportDialog(ExportSubject subject, DeviceFinder findDevice, QWidget *parent)
    : QDialog(parent), m_subject(std::move(subject)), m_findDevice(std::move(findDevice)),
      m_formats(new QListWidget(this)), m_viewName(new QLabel(QStringLiteral("&View"), this)),
      m_view(new QComboBox(this)), m_targetName(new QLabel(QStringLiteral("&Target"), this)),
      m_target(new QComboBox(this)), m_ofName(new QLabel(QStringLiteral("O&f"), this)), m_of(new QComboBox(this)),
      m_extentName(new QLabel(QStringLiteral("Sho&w"), this)), m_extent(new QComboBox(this)),
      m_themeName(new QLabel(QStringLiteral("T&heme"), this)), m_theme(new QComboBox(this)),
      m_scaleName(new QLabel(QStringLiteral("&Scale"), this)), m_scale(new QDoubleSpinBox(this)),
      m_files(new QComboBox(this)), m_preview(new QPlainTextEdit(this)), m_picture(new PicturePreview(this)),
      m_facts(new QLabel(this)), m_path(new QLineEdit(this)), m_trouble(new QLabel(this)),
      m_write(new QPushButton(QStringLiteral("&Export"), this))
{
    const std::size_t count = m_subject.results.size();
    const QString what =
        count == 1 ? QString::fromStdString(m_subject.results.front().name) : QStringLiteral("%1 results").arg(count);
    setWindowTitle(QStringLiteral("Export %1 of %2").arg(what, QString::fromStdString(m_subject.model->name)));
    m_formats->setAccessibleName(QStringLiteral("Format"));
    m_formats->setSpacing(2);
    m_formats->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    for (const ExportFormat &format : exportFormats()) {
        auto *item = new QListWidgetItem(titleOf(format), m_formats);
        item->setToolTip(textOf(format.what) + QStringLiteral("\nstagecraft-cli export --format ") +
                         textOf(format.name));
    }
    m_viewName->setBuddy(m_view);
    m_targetName->setBuddy(m_target);
    m_target->addItem(QStringLiteral("CPU, with oneDNN"));
    m_target->addItem(QStringLiteral("NVIDIA GPU, with cuDNN"));
    m_ofName->setBuddy(m_of);
    m_of->addItems({QStringLiteral("the chosen results"), QStringLiteral("the whole shelf")});
    m_extentName->setBuddy(m_extent);
    m_extent->addItems({QStringLiteral("the whole"), QStringLiteral("what is in sight")});
    m_themeName->setBuddy(m_theme);
    m_theme->addItems({QStringLiteral("light"), QStringLiteral("dark")});
    m_theme->setCurrentIndex(themeFor(palette()).dark ? 1 : 0);
    m_scaleName->setBuddy(m_scale);
    m_scale->setRange(kLeastScale, kMostScale);
    m_scale->setDecimals(1);
    m_scale->setSingleStep(0.5);
    m_scale->setValue(1);
    m_scale->setKeyboardTracking(false);
    m_files->setAccessibleName(QStringLiteral("File of the folder"));
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_preview->setAccessibleName(QStringLiteral("What will be written"));
    m_path->setAccessibleName(QStringLiteral("Where to write it"));
    m_trouble->setWordWrap(true);
    QPalette red = m_trouble->palette();
    red.setColor(QPalette::WindowText, themeFor(palette()).error);
    m_trouble->setPalette(red);
    m_write->setDefault(true);

    auto *options = new QHBoxLayout;
    options->addWidget(m_viewName);
    options->addWidget(m_view);
    options->addWidget(m_targetName);
    options->addWidget(m_target);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_ofName, m_of, m_extentName, m_extent, m_themeName,
                                                            m_theme, m_scaleName, m_scale})
        options->addWidget(widget);
    options->addWidget(m_files, 1);
    options->addStretch();
    options->addWidget(m_facts);
    auto *right = new QVBoxLayout;
    right->addLayout(options);
    right->addWidget(m_preview, 1);
    right->addWidget(m_picture, 1);
    auto *top = new QHBoxLayout;
    top->addWidget(m_formats);
    top->addLayout(right, 1);
    auto *choose = new QPushButton(QStringLiteral("&Choose..."), this);
    auto *toName = new QLabel(QStringLiteral("T&o"), this);
    toName->setBuddy(m_path);
    auto *place = new QHBoxLayout;
    place->addWidget(toName);
    place->addWidget(m_path, 1);
    place->addWidget(choose);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_write, QDialogButtonBox::ActionRole);
    auto *all = new QVBoxLayout(this);
    all->addLayout(top, 1);
    all->addLayout(place);
    all->addWidget(m_trouble);
    all->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 140, fontMetrics().height() * 36);

    connect(m_formats, &QListWidget::currentRowChanged, this, &ExportDialog::showFormat);
    connect(m_view, &QComboBox::activated, this, [this] {
        offerExtent();
        makePreview();
    });
    connect(m_extent, &QComboBox::activated, this, [this] {
        offerExtent();
        makePreview();
    });
    connect(m_of, &QComboBox::activated, this, &ExportDialog::makePreview);
    connect(m_theme, &QComboBox::activated, this, &ExportDialog::makePreview);
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, &ExportDialog::makePreview);
    connect(m_target, &QComboBox::activated, this, &ExportDialog::makePreview);
    connect(m_files, &QComboBox::currentIndexChanged, this, &ExportDialog::showFile);
    connect(choose, &QPushButton::clicked, this, &ExportDialog::choosePath);
    connect(m_write, &QPushButton::clicked, this, &ExportDialog::write);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&m_previewing, &JobLane::workFailed, this, &ExportDialog::showTrouble);
    connect(&m_writing, &JobLane::workFailed, this, &ExportDialog::showTrouble);
    connect(&m_writing, &JobLane::busyChanged, this, [this](bool busy) { m_write->setEnabled(!busy); });
    m_formats->setCurrentRow(0);
}

void ExportDialog::chooseFormat(const QString &name)
{
    const auto formats = exportFormats();
    const auto found = std::ranges::find(formats, name.toStdString(), &ExportFormat::name);
    if (found != formats.end())
        m_formats->setCurrentRow(static_cast<int>(found - formats.begin()));
}

void ExportDialog::chooseView(const QString &name)
{
    m_view->setCurrentIndex(std::max(m_view->findData(name), 0));
    offerExtent();
    makePreview();
}

void ExportDialog::chooseTheme(bool dark)
{
    m_theme->setCurrentIndex(dark ? 1 : 0);
    makePreview();
}

void ExportDialog::chooseScale(double scale)
{
    m_scale->setValue(scale); // makes the preview
}

void ExportDialog::chooseShelf(bool whole)
{
    m_of->setCurrentIndex(whole ? 1 : 0);
    makePreview();
}

void ExportDialog::chooseInSight(bool inSight)
{
    m_extent->setCurrentIndex(inSight ? 1 : 0);
    offerExtent();
    makePreview();
}

void ExportDialog::setPath(const QString &path)
{
    m_path->setText(path);
}

QString ExportDialog::preview() const
{
    return m_preview->toPlainText();
}

QString ExportDialog::facts() const
{
    return m_facts->text();
}

QString ExportDialog::trouble() const
{
    return m_trouble->text();
}

QStringList ExportDialog::files() const
{
    QStringList names;
    for (const PreviewedFile &file : m_previewed)
        names += QString::fromStdString(file.name);
    return names;
}

ExportRequest ExportDialog::request() const
{
    const ExportFormat &format = exportFormats()[static_cast<std::size_t>(m_formats->currentRow())];
    const auto view = findExportView(format, m_view->currentData().toString().toStdString());
    return {.format = &format,
            .view = view.value_or(format.views.front()),
            .target = m_target->currentIndex() == 1 ? CppTarget::Cuda : CppTarget::Cpu,
            .model = m_subject.model,
            .results = m_subject.results,
            .tradeoff = m_subject.tradeoff,
            .specialisation = m_subject.specialisation,
            .style = {m_theme->currentIndex() == 1, m_scale->value(),
                      QStringLiteral("Stagecraft %1").arg(QCoreApplication::applicationVersion()).toStdString()}};
}

QWidget *ExportDialog::viewInSight() const
{
    const auto found = m_subject.views.find(request().view);
    const bool isInSight = found != m_subject.views.end() && found->second && found->second->isVisible();
    return isInSight ? found->second.data() : nullptr;
}

Picture ExportDialog::picture() const
{
    QWidget *view = m_extent->currentIndex() == 1 ? viewInSight() : nullptr;
    return view ? pictureOfWidget(view, QString::fromStdString(m_subject.model->name)) : pictureOf(request());
}

QString ExportDialog::whyNot() const
{
    const ExportView view = request().view;
    if (view == ExportView::Tradeoff && m_subject.tradeoff.empty())
        return QStringLiteral(
            "There is no study of this model and device yet. Press Start in the panel Trade-off first.");
    if (view == ExportView::Specialisation && !m_subject.specialisation)
        return QStringLiteral("There is no study of this model yet. Press Start in the panel Specialisation first.");
    for (const ExportedResult &result : m_subject.results) {
        const QString name = QString::fromStdString(result.name);
        if (view == ExportView::Timeline && !result.timeline)
            return QStringLiteral("There is no timeline of %1 yet. Show it in the panel Timeline first.").arg(name);
        if (view == ExportView::Comparison && !result.schedule.latencyUs())
            return QStringLiteral("%1 has not been measured yet.").arg(name);
    }
    return {};
}

void ExportDialog::showFormat()
{
    const ExportFormat &format = *request().format;
    m_view->clear();
    for (const ExportView view : format.views)
        m_view->addItem(textOf(toString(view)), textOf(toString(view)));
    const bool hasViews = format.views.size() > 1;
    m_viewName->setVisible(hasViews);
    m_view->setVisible(hasViews);
    m_targetName->setVisible(format.name == "cpp");
    m_target->setVisible(format.name == "cpp");
    m_files->setVisible(format.isFolder());
    for (QWidget *widget : std::initializer_list<QWidget *>{m_extentName, m_extent, m_themeName, m_theme})
        widget->setVisible(format.isPicture());
    const bool hasShelf = format.views.front() == ExportView::Report && m_subject.shelf;
    m_ofName->setVisible(hasShelf);
    m_of->setVisible(hasShelf);
    if (!hasShelf)
        m_of->setCurrentIndex(0);
    m_scaleName->setVisible(format.hasScale());
    m_scale->setVisible(format.hasScale());
    m_preview->setVisible(!format.isPicture());
    m_picture->setVisible(format.isPicture());
    offerExtent();
    suggestPath();
    makePreview();
}

// What is in sight has the colours of the window.
void ExportDialog::offerExtent()
{
    const bool isInSight = viewInSight() != nullptr;
    if (!isInSight)
        m_extent->setCurrentIndex(0);
    m_extent->setEnabled(isInSight);
    m_extent->setToolTip(isInSight ? QString() : QStringLiteral("The window does not show this view"));
    m_theme->setEnabled(m_extent->currentIndex() == 0);
}

void ExportDialog::makePreview()
{
    m_previewed.clear();
    m_files->clear();
    m_preview->clear();
    m_picture->clear();
    m_drawn.clear();
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
    const QSizeF size = wanted.format->hasScale() ? drawn.size * wanted.style.scale : drawn.size;
    m_facts->setText(QStringLiteral("%1 × %2 %3, %4")
                         .arg(std::ceil(size.width()))
                         .arg(std::ceil(size.height()))
                         .arg(wanted.format->name == "png" ? QStringLiteral("pixels") : QStringLiteral("units"),
                              fileText(m_drawn.size())));
}

// On this thread: it has pictures.
void ExportDialog::reportPreview()
{
    const ExportRequest wanted = request();
    auto page = shelfReport(shelvedGroups(*m_subject.shelf), wanted.model->name, wanted.style.program,
                            {m_findDevice, drawExport});
    if (!page) {
        showTrouble(QString::fromStdString(errorText(page.error())));
        m_write->setEnabled(false);
        return;
    }
    m_drawn = std::move(*page);
    showPreview({{{}, m_drawn.size(), m_drawn.substr(0, kPreviewBytes)}});
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

void ExportDialog::showTrouble(const QString &text)
{
    m_trouble->setText(text);
    m_trouble->setVisible(!text.isEmpty());
    if (!text.isEmpty())
        m_facts->clear();
}

// In the folder of the last export, with a name of its own for each format.
void ExportDialog::suggestPath()
{
    const ExportFormat &format = *request().format;
    QString name = QString::fromStdString(m_subject.model->name);
    if (!format.isFolder())
        name += QStringLiteral("-%1%2").arg(
            QString::fromStdString(m_subject.results.front().name).toLower().replace('/', '-').replace(' ', '-'),
            format.name == "json" ? QStringLiteral(".schedule.json") : textOf(format.endings.front()));
    else
        name += QLatin1Char('-') + textOf(format.name);
    const QString folder = QSettings().value(QStringLiteral("folder"), QDir::homePath()).toString();
    m_path->setText(QDir(folder).filePath(name));
}

void ExportDialog::choosePath()
{
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Where to write it"), m_path->text(), {},
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty())
        m_path->setText(path);
}

void ExportDialog::write()
{
    const QString path = m_path->text().trimmed();
    const std::string output = QFile::encodeName(path).toStdString();
    ExportRequest wanted = request();
    wanted.isDrawn = !m_drawn.empty();
    if (const auto named = checkExportName(*wanted.format, output); !named || path.isEmpty()) {
        showTrouble(path.isEmpty() ? QStringLiteral("Say where to write it.")
                                   : QString::fromStdString(errorText(named.error())));
        return;
    }
    showTrouble({});
    m_facts->setText(QStringLiteral("writing..."));
    m_writing.start([this, wanted, output, path, find = m_findDevice,
                     drawn = m_drawn](const JobLane::Context &context) -> JobLane::Delivery {
        const ExportTools tools{find, [&drawn](const ExportRequest &) -> Result<std::string> { return drawn; }};
        auto done = writeExport(wanted, output, tools, context.stop);
        return [this, path, done = std::move(done)] {
            if (!done) {
                showTrouble(QString::fromStdString(errorText(done.error())));
                return;
            }
            m_facts->setText(
                QStringLiteral("wrote %1, %2")
                    .arg(done->files == 1 ? QStringLiteral("1 file") : QStringLiteral("%1 files").arg(done->files),
                         fileText(done->bytes)));
            QSettings().setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
            emit written(path);
        };
    });
}

} // namespace stagecraft
