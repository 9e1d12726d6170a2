#include "desktop/dialogs/generator_dialog.h"

#include "model/built_in.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include <span>
#include <string>
#include <vector>

namespace stagecraft {
namespace {

QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

class GeneratorDialog::Private {
public:
    explicit Private(GeneratorDialog *owner) : q(owner) {}

    GeneratorDialog *q;
    QComboBox *network = nullptr;
    QWidget *sizes = nullptr; // made anew for each network
    QFormLayout *form = nullptr;
    QLabel *named = nullptr;
    std::vector<QSpinBox *> fields;
    std::span<const BuiltInNetwork> fixed; // before the generators

    // Null: the network has no sizes to choose.
    [[nodiscard]] const Generator *generator() const
    {
        const auto index = static_cast<std::size_t>(network->currentIndex());
        return index < fixed.size() ? nullptr : &generators()[index - fixed.size()];
    }

    [[nodiscard]] GeneratorValues usual() const
    {
        const Generator *own = generator();
        return own ? GeneratorValues(own->parameters) : GeneratorValues(std::span<const GeneratorParameter>());
    }

    // A field for each parameter of the network.
    void showNetwork(const GeneratorValues &values)
    {
        delete sizes;
        fields.clear();
        sizes = new QWidget(q);
        auto *rows = new QFormLayout(sizes);
        rows->setContentsMargins(0, 0, 0, 0);
        const auto parameters = generator() ? generator()->parameters : std::span<const GeneratorParameter>();
        for (const GeneratorParameter &each : parameters) {
            auto *field = fields.emplace_back(new QSpinBox(sizes));
            field->setObjectName(qt(each.name));
            field->setRange(static_cast<int>(each.least), static_cast<int>(each.most));
            field->setValue(static_cast<int>(values[each.name]));
            field->setGroupSeparatorShown(true);
            field->setMinimumWidth(field->fontMetrics().horizontalAdvance(QStringLiteral("00,000,000")) + 40);
            field->setAccessibleName(QStringLiteral("%1: %2").arg(qt(each.name), qt(each.means)));
            field->setToolTip(QStringLiteral("%1; %2 to %3")
                                  .arg(qt(each.means), q->locale().toString(static_cast<qlonglong>(each.least)),
                                       q->locale().toString(static_cast<qlonglong>(each.most))));
            QObject::connect(field, &QSpinBox::valueChanged, q, [this] { named->setText(q->spec()); });
            auto *means = new QLabel(qt(each.means), sizes);
            means->setWordWrap(true);
            auto *line = new QHBoxLayout;
            line->addWidget(field);
            line->addWidget(means, 1);
            rows->addRow(qt(each.name), line);
        }
        form->insertRow(1, sizes);
        named->setText(q->spec());
    }
};

GeneratorDialog::GeneratorDialog(QWidget *parent, const QString &beside)
    : QDialog(parent), m_private(std::make_unique<Private>(this))
{
    Private &d = *m_private;
    const bool isAdded = !beside.isEmpty();
    setWindowTitle(isAdded ? QStringLiteral("A model beside %1").arg(beside) : QStringLiteral("A network with sizes"));
    setMinimumWidth(560);
    d.form = new QFormLayout(this);
    d.network = new QComboBox(this);
    d.network->setObjectName(QStringLiteral("network"));
    d.network->setAccessibleName(QStringLiteral("Network"));
    if (isAdded)
        d.fixed = builtInNetworks();
    for (const BuiltInNetwork &each : d.fixed)
        d.network->addItem(qt(each.title), qt(each.name));
    for (const Generator &each : generators())
        d.network->addItem(qt(each.title), qt(each.name));
    d.named = new QLabel(this);
    d.named->setObjectName(QStringLiteral("named"));
    d.named->setAccessibleName(QStringLiteral("Name for the command line"));
    d.named->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    d.named->setWordWrap(true);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    if (isAdded) {
        buttons->button(QDialogButtonBox::Open)->setText(QStringLiteral("&Add"));
        auto *file = buttons->addButton(QStringLiteral("A &file..."), QDialogButtonBox::ActionRole);
        connect(file, &QPushButton::clicked, this, [this] {
            accept();
            emit fileWanted();
        });
    }
    auto *usual = buttons->addButton(QStringLiteral("As &usual"), QDialogButtonBox::ResetRole);
    usual->setToolTip(QStringLiteral("The sizes that the network has by itself"));
    d.form->addRow(QStringLiteral("&Network"), d.network);
    d.form->addRow(QStringLiteral("Name"), d.named);
    d.form->addRow(buttons);
    const auto showUsual = [this, usual] {
        m_private->showNetwork(m_private->usual());
        usual->setEnabled(m_private->generator() != nullptr);
    };
    connect(d.network, &QComboBox::currentIndexChanged, this, showUsual);
    connect(usual, &QPushButton::clicked, this, showUsual);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(spec());
        accept();
    });
    showUsual();
}

GeneratorDialog::~GeneratorDialog() = default;

void GeneratorDialog::show(const QString &spec)
{
    if (const auto known = generatedSpec(spec.toStdString())) {
        m_private->network->setCurrentIndex(static_cast<int>(m_private->fixed.size()) +
                                            static_cast<int>(known->generator - generators().data()));
        m_private->showNetwork(known->values);
    }
    QDialog::show();
}

QString GeneratorDialog::spec() const
{
    const Private &d = *m_private;
    const Generator *generator = d.generator();
    if (!generator)
        return d.network->currentData().toString();
    GeneratedSpec made{generator, GeneratorValues(generator->parameters)};
    for (std::size_t i = 0; i < d.fields.size(); ++i)
        (void)made.values.set(generator->parameters[i].name, d.fields[i]->value()); // within its range
    return QString::fromStdString(made.text());
}

} // namespace stagecraft
