#include "widgets/device_editor/device_editor.h"

#include "widgets/base/format.h"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <array>

namespace stagecraft {
namespace {

constexpr int kDecimals = 6; // of non-integers: enough to halve an efficiency a few times

QString numberText(double value)
{
    return QLocale::c().toString(value, 'f', QLocale::FloatingPointShortest);
}

// Shows a number without trailing zeros and leaves the wheel to the enclosing list.
class ValueBox : public QDoubleSpinBox {
public:
    using QDoubleSpinBox::QDoubleSpinBox;

    QString textFromValue(double value) const override { return numberText(value); }

protected:
    void wheelEvent(QWheelEvent *event) override { event->ignore(); }
};

} // namespace

class DeviceEditor::Private {
public:
    struct Row {
        QString key;
        QLabel *label = nullptr;
        ValueBox *box = nullptr;
        QLabel *original = nullptr;
        QToolButton *half = nullptr;
        QToolButton *twice = nullptr;
        double originalValue = 0; // as rounded by the box

        [[nodiscard]] bool isChanged() const { return box->value() != originalValue; }
    };

    QLabel *title = nullptr;
    QScrollArea *scroll = nullptr;
    QLabel *summary = nullptr;
    QPushButton *reset = nullptr;
    QPushButton *apply = nullptr;
    std::vector<Row> rows;
    std::vector<NumberChange> applied;

    void refresh(const std::vector<NumberChange> &changes)
    {
        for (Row &row : rows) {
            QFont font = row.label->font();
            font.setBold(row.isChanged());
            row.label->setFont(font);
            row.box->setFont(font);
            row.original->setText(row.isChanged() ? QStringLiteral("● was %1").arg(numberText(row.originalValue))
                                                  : numberText(row.originalValue));
            row.original->setForegroundRole(row.isChanged() ? QPalette::Link : QPalette::WindowText);
            row.half->setEnabled(row.box->value() > row.box->minimum());
            row.twice->setEnabled(row.box->value() > 0 && row.box->value() < row.box->maximum());
        }
        summary->setText(
            changes.empty()
                ? QStringLiteral("Nothing is changed.")
                : QStringLiteral("%1 changed.").arg(plural(static_cast<std::int64_t>(changes.size()), "number")));
        reset->setEnabled(!changes.empty());
        apply->setEnabled(changes != applied);
    }
};

DeviceEditor::DeviceEditor(QWidget *parent) : QWidget(parent), m_private(std::make_unique<Private>())
{
    Private &d = *m_private;
    d.title = new QLabel(this);
    d.title->setWordWrap(true);
    d.scroll = new QScrollArea(this);
    d.scroll->setAccessibleName(QStringLiteral("Description of the device"));
    d.scroll->setWidgetResizable(true);
    d.scroll->setFrameShape(QFrame::NoFrame);
    d.summary = new QLabel(this);
    d.reset = new QPushButton(QStringLiteral("&Reset"), this);
    d.reset->setObjectName(QStringLiteral("reset"));
    d.reset->setToolTip(QStringLiteral("Every number as in the original device"));
    d.apply = new QPushButton(QStringLiteral("&Apply and compare"), this);
    d.apply->setObjectName(QStringLiteral("primary"));
    d.apply->setToolTip(QStringLiteral("Compare the schedules on the changed device"));
    for (QPushButton *button : {d.reset, d.apply})
        button->setAutoDefault(false); // Enter ends the editing of a number

    auto *foot = new QHBoxLayout;
    foot->addWidget(d.summary, 1);
    foot->addWidget(d.reset);
    foot->addWidget(d.apply);
    auto *column = new QVBoxLayout(this);
    column->addWidget(d.title);
    column->addWidget(d.scroll, 1);
    column->addLayout(foot);

    connect(d.reset, &QPushButton::clicked, this, [this] {
        for (Private::Row &row : m_private->rows)
            row.box->setValue(row.originalValue);
    });
    connect(d.apply, &QPushButton::clicked, this, [this] {
        m_private->applied = changes();
        m_private->refresh(m_private->applied);
        emit applyRequested(m_private->applied);
    });
    setUnavailable({});
}

DeviceEditor::~DeviceEditor() = default;

void DeviceEditor::setDevice(const QString &title, const std::vector<EditableNumber> &numbers)
{
    Private &d = *m_private;
    d.title->setText(QStringLiteral("What if the <b>%1</b> were different?").arg(title.toHtmlEscaped()));
    d.rows.clear();
    auto *list = new QWidget;
    auto *grid = new QGridLayout(list);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(0, 1);
    grid->setColumnMinimumWidth(2, 100);
    const std::array heads{QStringLiteral("Number"), QStringLiteral("Value"), QStringLiteral("Original")};
    for (std::size_t i = 0; i < heads.size(); ++i) {
        auto *head = new QLabel(heads[i], list);
        head->setObjectName(QStringLiteral("field"));
        grid->addWidget(head, 0, static_cast<int>(i));
    }
    const auto button = [list](const QString &text, const QString &what) {
        auto *result = new QToolButton(list);
        result->setText(text);
        result->setToolTip(what);
        result->setAccessibleName(what);
        return result;
    };
    for (const EditableNumber &number : numbers) {
        Private::Row row;
        row.key = number.key;
        row.label = new QLabel(number.label, list);
        row.box = new ValueBox(list);
        row.box->setObjectName(number.key);
        row.box->setAccessibleName(number.label);
        row.box->setLocale(QLocale::c());
        row.box->setDecimals(number.whole ? 0 : kDecimals);
        row.box->setRange(number.minimum, number.maximum);
        row.box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
        row.box->setSuffix(number.unit.isEmpty() ? QString() : QLatin1Char(' ') + number.unit);
        row.box->setToolTip(QStringLiteral("%1 to %2").arg(numberText(number.minimum), numberText(number.maximum)));
        row.box->setMinimumWidth(130);
        row.box->setValue(number.original);
        row.originalValue = row.box->value();
        row.box->setValue(number.value);
        row.label->setBuddy(row.box);
        row.original = new QLabel(list);
        row.half = button(QStringLiteral("× ½"), QStringLiteral("Half of %1").arg(number.label));
        row.twice = button(QStringLiteral("× 2"), QStringLiteral("Twice %1").arg(number.label));
        const int line = grid->rowCount();
        const std::array<QWidget *, 5> cells{row.label, row.box, row.original, row.half, row.twice};
        for (std::size_t i = 0; i < cells.size(); ++i)
            grid->addWidget(cells[i], line, static_cast<int>(i));
        connect(row.half, &QToolButton::clicked, row.box, [box = row.box] { box->setValue(box->value() / 2); });
        connect(row.twice, &QToolButton::clicked, row.box, [box = row.box] { box->setValue(box->value() * 2); });
        connect(row.box, &QDoubleSpinBox::valueChanged, this, [this] { m_private->refresh(changes()); });
        d.rows.push_back(row);
    }
    grid->setRowStretch(grid->rowCount(), 1);
    d.scroll->setWidget(list);
    d.applied = changes();
    d.refresh(d.applied);
}

void DeviceEditor::setUnavailable(const QString &reason)
{
    Private &d = *m_private;
    d.rows.clear();
    d.applied.clear();
    delete d.scroll->takeWidget();
    d.refresh({});
    d.title->setText(reason);
    d.summary->clear();
}

std::vector<NumberChange> DeviceEditor::changes() const
{
    std::vector<NumberChange> changes;
    for (const Private::Row &row : m_private->rows) {
        if (row.isChanged())
            changes.emplace_back(row.key, row.box->value());
    }
    return changes;
}

} // namespace stagecraft
