#pragma once

// Takes results away for other programs: a list of formats, their options, and a preview of what will be written. The
// preview is made, and files are written, in the background; the window stays usable, and the dialog stays open until
// it is closed. Lives on the UI thread.

#include "desktop/work/job_lane.h"
#include "flow/export_results.h"
#include "flow/open/session_opener.h"
#include "measure/measurers.h"
#include "pictures/picture.h"

#include <QDialog>
#include <QPointer>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace stagecraft {

class ExportPreview;

// Results of one model, and what studies found for it. Results without a timeline cannot be exported as one.
struct ExportSubject {
    std::shared_ptr<const Model> model;
    std::vector<RatedResult> results; // with schedules; the first is the one that formats of one schedule take
    std::string baseline = {};        // what their speed-ups are over
    std::vector<StudyPoint> tradeoff = {};
    std::optional<SpecialisationTable> specialisation = {};
    std::map<ExportView, QPointer<QWidget>> views = {}; // of the window, for pictures of what is in sight
    std::shared_ptr<const OpenedSession> shelf = {};    // all there is, for reports; null: only the results
};

class ExportDialog : public QDialog {
    Q_OBJECT

public:
    ExportDialog(ExportSubject subject, DeviceFinder findDevice, QWidget *parent);

    void chooseFormat(const QString &name); // "cpp"
    void chooseView(const QString &name);   // "comparison"
    void chooseTheme(bool dark);            // of pictures of the whole
    void chooseScale(double scale);         // of pictures
    void chooseShelf(bool whole);           // in reports: all there is, not the results alone
    void chooseInSight(bool inSight);       // what the window shows of the view, not the whole
    void setPath(const QString &path);
    void write(); // asks first, once a path, where a file would be replaced
    [[nodiscard]] bool isBusy() const { return m_previewing.isBusy() || m_writing.isBusy(); }
    [[nodiscard]] QString preview() const;   // the file that is shown
    [[nodiscard]] QString facts() const;     // "5 files, 2.81 MiB", or what was written
    [[nodiscard]] QString trouble() const;   // why it cannot be written; empty: it can
    [[nodiscard]] QStringList files() const; // of a folder

signals:
    void written(const QString &path);

private:
    [[nodiscard]] ExportRequest request() const;
    [[nodiscard]] QString whyNot() const;       // empty: the results have what format and view need
    [[nodiscard]] QWidget *viewInSight() const; // of the chosen view; null: it is not in sight
    [[nodiscard]] Picture picture() const;
    void showFormat(); // with its options
    void offerExtent();
    void makePreview();
    void drawPreview();
    void reportPreview();
    void showTrouble(const QString &text);
    void suggestPath();
    void choosePath();
    void askToReplace(const QString &path);
    void writeTo(const QString &path);

    ExportSubject m_subject;
    DeviceFinder m_findDevice;
    QString m_mayReplace;             // the path that a person agreed to, or that this dialog has written
    std::optional<DrawnFile> m_drawn; // the picture, or the report of the shelf; nullopt: another format
    QListWidget *m_formats;
    QLabel *m_viewName;
    QComboBox *m_view;
    QLabel *m_targetName;
    QComboBox *m_target;
    QLabel *m_ofName;
    QComboBox *m_of;
    QLabel *m_extentName;
    QComboBox *m_extent;
    QLabel *m_themeName;
    QComboBox *m_theme;
    QLabel *m_scaleName;
    QDoubleSpinBox *m_scale;
    QComboBox *m_files;
    ExportPreview *m_preview;
    QLabel *m_facts;
    QLineEdit *m_path;
    QLabel *m_trouble;
    QPushButton *m_write;
    JobLane m_previewing;
    JobLane m_writing;
};

} // namespace stagecraft
