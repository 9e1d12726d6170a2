#include "answers/json_answers.h"

#include "answers/embedded_json_answers.h"
#include "support/markup_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {
namespace {

using Json = nlohmann::ordered_json;

JsonAnswer answerFrom(const Json &json)
{
    JsonAnswer answer{json.at("name"), json.value("call", ""), json.value("format", ""), json.at("purpose"), {}};
    for (const Json &key : json.at("keys"))
        answer.keys.push_back({key.at(0), key.at(1), key.at(2)});
    return answer;
}

// The file is part of the program: an error in it is a bug of ours, and a test reads it.
JsonAnswers read()
{
    const Json json = Json::parse(kEmbeddedJsonAnswers);
    JsonAnswers answers{json.at("notes"), {}, {}};
    for (const Json &answer : json.at("answers"))
        answers.answers.push_back(answerFrom(answer));
    for (const Json &part : json.at("parts"))
        answers.parts.push_back(answerFrom(part));
    return answers;
}

std::string keysText(const JsonAnswer &answer)
{
    std::size_t pathWidth = 0;
    std::size_t kindWidth = 0;
    for (const JsonKey &key : answer.keys) {
        pathWidth = std::max(pathWidth, key.path.size());
        kindWidth = std::max(kindWidth, key.kind.size());
    }
    std::string text;
    for (const JsonKey &key : answer.keys)
        text += fmt::format("  {:{}}  {:{}}  {}\n", key.path, pathWidth, key.kind, kindWidth, key.meaning);
    return text;
}

std::string headText(const JsonAnswer &answer)
{
    const std::string call = answer.call.empty() ? "" : fmt::format("  {}\n", answer.call);
    return fmt::format("{}: {}\n{}\n{}", answer.name, answer.purpose, call, keysText(answer));
}

const JsonAnswer *partOf(const JsonKey &key)
{
    constexpr std::string_view kPart = "part ";
    if (!key.kind.starts_with(kPart))
        return nullptr;
    const std::string name = key.kind.substr(kPart.size(), key.kind.find(" or null") - kPart.size());
    const auto part = std::ranges::find(jsonAnswers().parts, name, &JsonAnswer::name);
    return part == jsonAnswers().parts.end() ? nullptr : &*part;
}

std::string sectionHtml(const JsonAnswer &answer)
{
    std::string html =
        fmt::format("<h2><a name=\"{0}\"></a>{0}</h2>\n<p>{1}", escaped(answer.name), escaped(answer.purpose));
    if (!answer.call.empty())
        html += "<br/><b>" + escaped(answer.call) + "</b>";
    html += "</p>\n<table>\n<tr><th>key</th><th>value</th><th>meaning</th></tr>\n";
    for (const JsonKey &key : answer.keys)
        html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(key.path), escaped(key.kind),
                            escaped(key.meaning));
    return html + "</table>\n";
}

} // namespace

const JsonAnswers &jsonAnswers()
{
    static const JsonAnswers answers = read();
    return answers;
}

std::string jsonAnswerText(const JsonAnswer &answer)
{
    std::string text = headText(answer);
    std::vector<const JsonAnswer *> told;
    for (const JsonKey &key : answer.keys) {
        const JsonAnswer *part = partOf(key);
        if (!part || std::ranges::find(told, part) != told.end())
            continue;
        told.push_back(part);
        text += '\n' + jsonAnswerText(*part);
    }
    return text;
}

std::string jsonAnswersText()
{
    std::string text = "The answers of stagecraft-cli with --json, key by key\n\n";
    for (const std::string &note : jsonAnswers().notes)
        text += note + '\n';
    for (const JsonAnswer &answer : jsonAnswers().answers)
        text += '\n' + headText(answer);
    text += "\nParts of several answers\n";
    for (const JsonAnswer &part : jsonAnswers().parts)
        text += '\n' + headText(part);
    return text;
}

std::string jsonAnswersHtml()
{
    std::string html = "<h1>JSON answers</h1>\n";
    for (const std::string &note : jsonAnswers().notes)
        html += "<p>" + escaped(note) + "</p>\n";
    html += "<p>";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += fmt::format("<a href=\"#{0}\">{0}</a> &nbsp; ", escaped(answer.name));
    }
    html += "</p>\n";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += sectionHtml(answer);
    }
    return html;
}

} // namespace stagecraft
