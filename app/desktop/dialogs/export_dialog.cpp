#include "desktop/dialogs/export_dialog.h"

#include "desktop/dialogs/dialog_folder.h"
#include "desktop/dialogs/export_picture.h"
#include "desktop/dialogs/export_preview.h"
#include "flow/export/shelf_report.h"
#include "pictures/draw_export.h"
#include "support/error_text.h"
#include "support/output_file.h"
#include "widgets/base/theme.h"
#include "wiring/cuda_export.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace stagecraft {

ExportDialog::ExportDialog(ExportSubject subject, DeviceFinder findDevice, QWidget *parent)
    : QDialog(parent), m_subject(std::move(subject)), m_findDevice(std::move(findDevice)),
      m_formats(new QListWidget(this)), m_viewName(new QLabel(QStringLiteral("&View"), this)),
      m_view(new QComboBox(this)), m_targetName(new QLabel(QStringLiteral("&Target"), this)),
      m_target(new QComboBox(this)), m_ofName(new QLabel(QStringLiteral("O&f"), this)), m_of(new QComboBox(this)),
      m_extentName(new QLabel(QStringLiteral("Sho&w"), this)), m_extent(new QComboBox(this)),
      m_themeName(new QLabel(QStringLiteral("T&heme"), this)), m_theme(new QComboBox(this)),
      m_scaleName(new QLabel(QStringLiteral("&Scale"), this)), m_scale(new QDoubleSpinBox(this)),
      m_files(new QComboBox(this)), m_preview(new ExportPreview(m_files, this)), m_facts(new QLabel(this)),
      m_path(new QLineEdit(this)), m_trouble(new QLabel(this)),
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
        auto *item = new QListWidgetItem(QString::fromUtf8(format.title), m_formats);
        item->setToolTip(QString::fromUtf8(format.what) + QStringLiteral("\nstagecraft-cli export --format ") +
                         QString::fromUtf8(format.name));
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
    m_path->setAccessibleName(QStringLiteral("Where to write it"));
    m_trouble->setObjectName(QStringLiteral("trouble"));
    m_trouble->setWordWrap(true);
    m_write->setDefault(true);

    auto *options = new QHBoxLayout;
    for (QWidget *widget :
         std::initializer_list<QWidget *>{m_viewName, m_view, m_targetName, m_target, m_ofName, m_of, m_extentName,
                                          m_extent, m_themeName, m_theme, m_scaleName, m_scale})
        options->addWidget(widget);
    options->addWidget(m_files, 1);
    options->addStretch();
    auto *right = new QVBoxLayout;
    right->addLayout(options);
    right->addWidget(m_preview, 1);
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
    auto *bottom = new QHBoxLayout;
    bottom->addWidget(m_facts, 1);
    bottom->addWidget(buttons);
    m_facts->setWordWrap(true); // remarks may have commands, to be copied
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    all->addLayout(bottom);
    resize(fontMetrics().averageCharWidth() * 140, fontMetrics().height() * 36);

    connect(m_formats, &QListWidget::currentRowChanged, this, &ExportDialog::showFormat);
    for (const QComboBox *box : {m_view, m_extent}) {
        connect(box, &QComboBox::activated, this, [this] {
            offerExtent();
            makePreview();
        });
    }
    connect(m_of, &QComboBox::activated, this, &ExportDialog::makePreview);
    connect(m_theme, &QComboBox::activated, this, &ExportDialog::makePreview);
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, &ExportDialog::makePreview);
    connect(m_target, &QComboBox::activated, this, &ExportDialog::makePreview);
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
    return m_preview->text();
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
    return m_preview->files();
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
            .baseline = m_subject.baseline,
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
    for (const RatedResult &result : m_subject.results) {
        const QString name = QString::fromStdString(result.name);
        if (result.schedule && result.schedule->streams && !request().format->takesStreams(view))
            return QStringLiteral("%1 has streams, and this format takes stages. Choose a schedule file or a trace.")
                .arg(name);
        if (exportedView(view).needsTimeline && !result.timeline)
            return QStringLiteral("There is no timeline of %1 yet. Show it in the panel Timeline first.").arg(name);
        if ((view == ExportView::Comparison || view == ExportView::TimeParts) && !result.schedule->latencyUs())
            return QStringLiteral("%1 has not been measured yet.").arg(name);
    }
    return {};
}

void ExportDialog::showFormat()
{
    const ExportFormat &format = *request().format;
    m_view->clear();
    for (const ExportView view : format.views)
        m_view->addItem(QString::fromUtf8(toString(view)), QString::fromUtf8(toString(view)));
    const auto show = [](bool isShown, std::initializer_list<QWidget *> widgets) {
        for (QWidget *widget : widgets)
            widget->setVisible(isShown);
    };
    show(format.views.size() > 1, {m_viewName, m_view});
    show(format.hasTargets, {m_targetName, m_target});
    show(format.isFolder(), {m_files});
    show(format.isPicture(), {m_extentName, m_extent, m_themeName, m_theme});
    m_preview->setForPicture(format.isPicture());
    show(format.hasScale, {m_scaleName, m_scale});
    const bool hasShelf = format.views.front() == ExportView::Report && m_subject.shelf;
    show(hasShelf, {m_ofName, m_of});
    if (!hasShelf)
        m_of->setCurrentIndex(0);
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
            QString::fromUtf8(format.endings.front()));
    else
        name += QLatin1Char('-') + QString::fromUtf8(format.name);
    const QString folder = dialogFolder();
    m_path->setText(QDir(folder).filePath(name));
}

void ExportDialog::choosePath()
{
    const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Where to write it"), m_path->text(), {},
                                                      nullptr, QFileDialog::DontConfirmOverwrite);
    if (!path.isEmpty())
        m_path->setText(path);
}

void ExportDialog::makePreview()
{
    m_preview->clear();
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
                m_facts->setText(m_preview->showFiles(*previewed));
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
    m_preview->showPicture(drawn);
    QStringList facts{QStringLiteral("%1 × %2 %3")
                          .arg(std::ceil(drawn.size.width() * m_drawn->scale))
                          .arg(std::ceil(drawn.size.height() * m_drawn->scale))
                          .arg(QString::fromUtf8(wanted.format->unit)),
                      fileSizeText(m_drawn->bytes.size())};
    for (const std::string &remark : m_drawn->remarks)
        facts << QString::fromStdString(remark);
    m_facts->setText(facts.join(QStringLiteral(", ")));
}

// On this thread: it has pictures.
void ExportDialog::reportPreview()
{
    const ExportRequest wanted = request();
    std::vector<ShelvedGroup> groups = shelvedGroups(*m_subject.shelf);
    for (ShelvedGroup &group : groups) { // sessions hold no timelines, but those of the panes are there
        for (RatedResult &result : group.results) {
            const auto shown = std::ranges::find(m_subject.results, result.id, &RatedResult::id);
            if (shown != m_subject.results.end())
                result.timeline = shown->timeline;
        }
    }
    auto page = shelfReport(groups, wanted.model->name, wanted.style.program, {m_findDevice, checkOnCuda, drawExport});
    if (!page) {
        showTrouble(QString::fromStdString(errorText(page.error())));
        m_write->setEnabled(false);
        return;
    }
    m_drawn = DrawnFile{std::move(*page)};
    m_facts->setText(m_preview->showFiles({previewedFile({}, m_drawn->bytes)}));
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
    const bool areWeightsReplaced = !format.isFolder() && format.copiesModel && !refuseReplacingWeights(output);
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
            QStringList facts{QStringLiteral("%1, %2").arg(
                done->files == 1 ? QStringLiteral("wrote 1 file") : QStringLiteral("wrote %1 files").arg(done->files),
                fileSizeText(done->bytes))};
            for (const std::string &remark : done->remarks)
                facts << QString::fromStdString(remark);
            m_facts->setText(facts.join(QLatin1Char('\n')));
            keepDialogFolder(path);
            m_mayReplace = path;
            emit written(path);
        };
    });
}

} // namespace stagecraft
