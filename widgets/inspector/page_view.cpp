#include "widgets/inspector/page_view.h"

#include "widgets/base/elided_label.h"
#include "widgets/base/flow_layout.h"
#include "widgets/base/format.h"
#include "widgets/inspector/link_chip.h"

#include <QEnterEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft {
namespace {

constexpr int kMargin = 16;
constexpr int kKeyWidth = 104;
constexpr int kLongestPart = 12; // characters that stay together
constexpr int kKeyChars = 15;    // longer keys get a line of their own

// A thin bar for a share of a whole.
class ShareBar : public QWidget {
public:
    ShareBar(double share, const Theme &theme, const QColor &fill, QWidget *parent)
        : QWidget(parent), m_share(share), m_track(theme.grid), m_fill(fill)
    {
        setFixedHeight(6);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_track);
        painter.drawRoundedRect(rect(), 3, 3);
        painter.setBrush(m_fill);
        const double filled = std::max(std::clamp(m_share, 0.0, 1.0) * width(), m_share > 0 ? 3.0 : 0.0);
        painter.drawRoundedRect(QRectF(0, 0, filled, height()), 3, 3);
    }

private:
    double m_share;
    QColor m_track;
    QColor m_fill;
};

// A square in the stage's colour.
class Swatch : public QWidget {
public:
    Swatch(std::size_t stage, const Theme &theme, QWidget *parent)
        : QWidget(parent), m_fill(theme.stageFill(stage)), m_outline(theme.stageOutline(stage))
    {
        setFixedSize(16, 16);
    }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_outline, 1));
        painter.setBrush(m_fill);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

private:
    QColor m_fill;
    QColor m_outline;
};

// Its text can be selected from when the pointer is over it: until then it needs no text document, and a page of many
// values is made in a fraction of the time.
class ValueLabel : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void enterEvent(QEnterEvent *event) override
    {
        setTextInteractionFlags(Qt::TextSelectableByMouse);
        setCursor(Qt::IBeamCursor);
        QLabel::enterEvent(event);
    }
};

// A long word, such as the id of a changed device or the name of an operator, would widen the page: it may break behind
// its signs, else anywhere.
QString withBreaks(const QString &text)
{
    constexpr QChar kBreak(0x200b);
    static const QString kSigns = QStringLiteral("*,/(_:;@=-");
    QString broken;
    qsizetype wordEnd = 0;
    bool isLong = false;
    int part = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (i >= wordEnd) { // a word begins here
            const auto end = std::find_if(text.begin() + i + 1, text.end(), [](QChar each) { return each.isSpace(); });
            wordEnd = end - text.begin();
            isLong = wordEnd - i > kLongestPart;
            part = 0;
        }
        if (isLong && part >= kLongestPart && !text[i].isLowSurrogate()) {
            broken += kBreak;
            part = 0;
        }
        broken += text[i];
        ++part;
        if (isLong && kSigns.contains(text[i])) {
            broken += kBreak;
            part = 0;
        }
    }
    return broken;
}

QFont sized(QFont font, double factor, QFont::Weight weight)
{
    font.setPointSizeF(std::max(font.pointSizeF() * factor, 6.0));
    font.setWeight(weight);
    return font;
}

} // namespace

PageView::PageView(const InspectorPage &page, const Theme &theme, bool isRoomy, QWidget *parent)
    : QWidget(parent), m_theme(theme), m_isRoomy(isRoomy), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(kMargin, kMargin - 2, kMargin, kMargin);
    m_layout->setSpacing(0);
    addHeader(page);
    for (const InspectorSection &section : page.sections)
        addSection(section);
    m_layout->addStretch(1);
}

void PageView::colour(QWidget *widget, const QColor &text) const
{
    QPalette palette = widget->palette();
    palette.setColor(QPalette::WindowText, text);
    widget->setPalette(palette);
}

void PageView::addHeader(const InspectorPage &page)
{
    auto *kind = new QLabel(page.kind, this);
    kind->setFont(sized(font(), 0.9, QFont::DemiBold));
    colour(kind, m_theme.accent);
    m_layout->addWidget(kind);
    m_layout->addSpacing(2);
    auto *line = new QHBoxLayout;
    line->setSpacing(8);
    if (page.stage)
        line->addWidget(new Swatch(*page.stage, m_theme, this));
    auto *title = new ElidedLabel(page.title, this);
    title->setFont(sized(font(), 1.45, QFont::DemiBold));
    colour(title, m_theme.text);
    line->addWidget(title, 1);
    m_layout->addLayout(line);
    if (page.subtitle.isEmpty())
        return;
    m_layout->addSpacing(2);
    auto *subtitle = new ElidedLabel(page.subtitle, this);
    colour(subtitle, m_theme.mutedText);
    m_layout->addWidget(subtitle);
}

void PageView::addSection(const InspectorSection &section)
{
    m_layout->addSpacing(16);
    QString text = withBreaks(section.title).toHtmlEscaped();
    if (section.provenance)
        text += provenanceSpan(*section.provenance);
    auto *title = new QLabel(text, this);
    title->setFont(sized(font(), 0.95, QFont::DemiBold));
    title->setWordWrap(true);
    colour(title, m_theme.text);
    m_layout->addWidget(title);
    m_layout->addSpacing(4);
    auto *rule = new QWidget(this);
    rule->setFixedHeight(1);
    rule->setAutoFillBackground(true);
    QPalette palette = rule->palette();
    palette.setColor(QPalette::Window, m_theme.border);
    rule->setPalette(palette);
    m_layout->addWidget(rule);
    m_layout->addSpacing(6);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(5);
    if (m_isRoomy)
        grid->setColumnMinimumWidth(0, kKeyWidth);
    grid->setColumnStretch(1, 1);
    for (const InspectorRow &row : section.rows)
        addRow(grid, row);
    m_layout->addLayout(grid);
}

void PageView::addRow(QGridLayout *grid, const InspectorRow &row)
{
    int line = grid->rowCount();
    const bool whole =
        !m_isRoomy || (row.key.isEmpty() && (!row.links.empty() || row.tone != InspectorRow::Tone::Muted));
    const int column = whole ? 0 : 1;
    const int span = whole ? 2 : 1;
    if (!row.key.isEmpty()) {
        auto *key = new ElidedLabel(row.key, this);
        colour(key, m_theme.mutedText);
        if (row.key.size() > kKeyChars || !m_isRoomy) {
            grid->addWidget(key, line, 0, 1, 2);
            ++line;
        } else {
            key->setFixedWidth(kKeyWidth);
            grid->addWidget(key, line, 0, Qt::AlignTop);
        }
    }
    const bool hasValueAndLinks = !row.links.empty() && row.links.front().toTry;
    if (!row.value.isEmpty() &&
        (row.links.empty() || hasValueAndLinks || row.tone == InspectorRow::Tone::Warning || whole)) {
        grid->addWidget(valueLabel(row), line, column, 1, span);
        ++line;
    }
    if (row.share) {
        grid->addWidget(new ShareBar(*row.share, m_theme, m_theme.accent, this), line, column, 1, span);
        ++line;
    }
    if (!row.links.empty())
        grid->addWidget(linksOf(row), line, column, 1, span);
}

QWidget *PageView::linksOf(const InspectorRow &row)
{
    auto *links = new QWidget(this);
    auto *flow = new FlowLayout(5);
    links->setLayout(flow);
    for (const InspectorLink &link : row.links) {
        auto *chip = new LinkChip(link, links);
        connect(chip, &LinkChip::chosen, this, &PageView::chosen);
        connect(chip, &LinkChip::tryPressed, this, &PageView::tryPressed);
        connect(chip, &LinkChip::whyPressed, this, &PageView::whyPressed);
        flow->addWidget(chip);
    }
    if (!row.value.isEmpty() && row.tone == InspectorRow::Tone::Muted && !row.key.isEmpty())
        flow->addWidget(valueLabel(row));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    links->setSizePolicy(policy);
    return links;
}

QString PageView::provenanceSpan(Provenance provenance) const
{
    return QStringLiteral("&nbsp; <span style=\"color:%1; font-weight:normal\">%2</span>")
        .arg(m_theme.provenance(provenance).name(), provenanceText(provenance));
}

QLabel *PageView::valueLabel(const InspectorRow &row) const
{
    const QString text = withBreaks(row.value);
    auto *label = new ValueLabel(const_cast<PageView *>(this));
    label->setWordWrap(true);
    if (row.provenance) {
        label->setTextFormat(Qt::RichText);
        label->setText(text.toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>")) +
                       provenanceSpan(*row.provenance));
    } else {
        label->setTextFormat(Qt::PlainText);
        label->setText(text);
    }
    label->setAccessibleName(row.provenance ? row.value + QLatin1Char(' ') + provenanceText(*row.provenance)
                                            : row.value);
    switch (row.tone) {
    case InspectorRow::Tone::Normal: colour(label, m_theme.text); break;
    case InspectorRow::Tone::Muted: colour(label, m_theme.mutedText); break;
    case InspectorRow::Tone::Warning: colour(label, m_theme.warning); break;
    }
    return label;
}

} // namespace stagecraft
