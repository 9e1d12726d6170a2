#include "widgets/graph/overlay/graph_find.h"

#include "operators/schema.h"
#include "widgets/base/inspector_page.h"
#include "widgets/graph/paint/graph_labels.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <array>
#include <optional>

namespace stagecraft {

namespace {

enum class Field : std::size_t { Name, Type, Attributes, Shapes, Values, Window };
constexpr std::size_t kFields = 6;

// "x1x64x56x56x": "64x56" is found as "x64x56x", in whole dimensions.
QString searchable(const Shape &shape)
{
    QString text(QLatin1Char('x'));
    for (const std::int64_t dim : shape.dims)
        text += QString::number(dim) + QLatin1Char('x');
    return text;
}

QString plainSides(QString text) // "3 × 3" is searched as "3x3"
{
    return text.remove(QLatin1Char(' ')).replace(QChar(0xd7), QLatin1Char('x'));
}

class OperatorTexts {
public:
    OperatorTexts(const Graph &graph, OperatorId id) : m_graph(graph), m_id(id) {}

    [[nodiscard]] const QString &of(Field field)
    {
        auto &text = m_texts[static_cast<std::size_t>(field)];
        if (!text)
            text = made(field);
        return *text;
    }

private:
    [[nodiscard]] QString made(Field field) const
    {
        const Operator &op = m_graph.op(m_id);
        switch (field) {
        case Field::Name: return QString::fromStdString(op.name);
        case Field::Type: return QString::fromStdString(displayType(op));
        case Field::Shapes:
            return searchable(m_graph.inputShape(m_id)) + QLatin1Char(' ') + searchable(m_graph.outputShape(m_id));
        case Field::Window: return plainSides(kernelText(op));
        case Field::Attributes:
        case Field::Values: break;
        }
        QStringList texts;
        for (const InspectorRow &row : attributeRows(op)) {
            texts << row.value << plainSides(row.value);
            if (field == Field::Attributes)
                texts << row.key << row.key + QLatin1Char('=') + plainSides(row.value);
        }
        return texts.join(QLatin1Char(' '));
    }

    const Graph &m_graph;
    OperatorId m_id;
    std::array<std::optional<QString>, kFields> m_texts;
};

struct Word {
    std::optional<Field> field; // nullopt: any
    QString text;
};

std::vector<Word> wordsOf(const QString &text)
{
    constexpr std::array kPrefixes{"name:", "type:", "attribute:", "shape:"};
    std::vector<Word> words;
    for (const QString &part : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        Word word{std::nullopt, part};
        for (std::size_t field = 0; field < kPrefixes.size(); ++field) {
            const QLatin1String prefix(kPrefixes[field]);
            if (part.startsWith(prefix, Qt::CaseInsensitive) && part.size() > prefix.size())
                word = {static_cast<Field>(field), part.mid(prefix.size())};
        }
        words.push_back(std::move(word));
    }
    return words;
}

// Sides ("3x3", "192x35x35") are those of the window or of a shape, not of strides, which are nearly all alike; a
// number alone is a part of nearly every shape. Both are looked for everywhere if asked.
bool has(OperatorTexts &texts, const Word &word)
{
    const QString sides = plainSides(word.text);
    const auto contains = [&](Field field) {
        const QString text = field == Field::Shapes       ? QLatin1Char('x') + sides + QLatin1Char('x')
                             : field == Field::Attributes ? sides
                                                          : word.text;
        return texts.of(field).contains(text, Qt::CaseInsensitive);
    };
    if (word.field)
        return contains(*word.field);
    if (contains(Field::Name) || contains(Field::Type))
        return true;
    const bool isNumeric = std::ranges::all_of(sides, [](QChar c) { return c.isDigit() || c == QLatin1Char('x'); });
    if (!isNumeric)
        return contains(Field::Values);
    return sides.contains(QLatin1Char('x')) && (texts.of(Field::Window).startsWith(sides) || contains(Field::Shapes));
}

} // namespace

void GraphFind::search(const HeatSource &source, const QString &text)
{
    clear();
    m_text = text;
    const Graph &graph = source.graph;
    const bool isExpression = text.size() > 2 && text.startsWith(QLatin1Char('/')) && text.endsWith(QLatin1Char('/'));
    const QRegularExpression expression(isExpression ? text.mid(1, text.size() - 2) : QString(),
                                        QRegularExpression::CaseInsensitiveOption);
    if (!expression.isValid()) {
        m_trouble = QStringLiteral("Not a regular expression: %1").arg(expression.errorString());
        return;
    }
    const ReadNumbers read = isExpression ? ReadNumbers{{}, text, {}} : readNumbers(text);
    m_trouble = read.trouble;
    m_hasNumbers = !read.queries.empty();
    std::vector<OperatorNumbers> numbers;
    for (const NumberQuery &query : read.queries) {
        const OperatorNumbers &of = numbers.emplace_back(query.fact, source);
        if (m_trouble.isEmpty())
            m_trouble = of.whyUnknown();
    }
    const std::vector<Word> words = wordsOf(read.rest);
    if (!m_trouble.isEmpty() || (words.empty() && numbers.empty()))
        return;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const OperatorId id = OperatorId::fromIndex(i);
        OperatorTexts texts(graph, id);
        const bool matches = isExpression
                                 ? expression.match(texts.of(Field::Name)).hasMatch() ||
                                       expression.match(texts.of(Field::Type)).hasMatch()
                                 : std::ranges::all_of(words, [&](const Word &word) { return has(texts, word); });
        QStringList numbersOfIt;
        bool holds = matches;
        for (std::size_t query = 0; holds && query < numbers.size(); ++query) {
            const double number = numbers[query].of(id);
            holds = number >= 0 && read.queries[query].holds(number);
            numbersOfIt << numbers[query].textOf(id);
        }
        if (!holds)
            continue;
        numbersOfIt.removeDuplicates();
        m_matches.push_back(id);
        m_numbers.push_back(numbersOfIt.join(QStringLiteral(", ")));
    }
    m_current = m_matches.empty() ? -1 : 0;
}

void GraphFind::clear()
{
    m_text.clear();
    m_trouble.clear();
    m_hasNumbers = false;
    m_numbers.clear();
    m_matches.clear();
    m_current = -1;
}

void GraphFind::step(int by)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_current = ((m_current + by) % count + count) % count;
}

} // namespace stagecraft
