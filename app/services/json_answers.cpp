#include "services/json_answers.h"

#include "services/embedded_json_answers.h"
#include "support/markup_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

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
        text += "  " + key.path + std::string(pathWidth - key.path.size() + 2, ' ') + key.kind +
                std::string(kindWidth - key.kind.size() + 2, ' ') + key.meaning + '\n';
    return text;
}

std::string headText(const JsonAnswer &answer)
{
    std::string text = answer.name + ": " + answer.purpose + '\n';
    if (!answer.call.empty())
        text += "  " + answer.call + '\n';
    return text + '\n' + keysText(answer);
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
    std::string html = "<h2><a name=\"" + escaped(answer.name) + "\"></a>" + escaped(answer.name) + "</h2>\n<p>" +
                       escaped(answer.purpose);
    if (!answer.call.empty())
        html += "<br/><b>" + escaped(answer.call) + "</b>";
    html += "</p>\n<table>\n<tr><th>key</th><th>value</th><th>meaning</th></tr>\n";
    for (const JsonKey &key : answer.keys)
        html += "<tr><td>" + escaped(key.path) + "</td><td>" + escaped(key.kind) + "</td><td>" + escaped(key.meaning) +
                "</td></tr>\n";
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
    std::ostringstream text;
    text << "The answers of stagecraft-cli with --json, key by key\n\n";
    for (const std::string &note : jsonAnswers().notes)
        text << note << '\n';
    for (const JsonAnswer &answer : jsonAnswers().answers)
        text << '\n' << headText(answer);
    text << "\nParts of several answers\n";
    for (const JsonAnswer &part : jsonAnswers().parts)
        text << '\n' << headText(part);
    return text.str();
}

std::string jsonAnswersHtml()
{
    std::string html = "<h1>JSON answers</h1>\n";
    for (const std::string &note : jsonAnswers().notes)
        html += "<p>" + escaped(note) + "</p>\n";
    html += "<p>";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += "<a href=\"#" + escaped(answer.name) + "\">" + escaped(answer.name) + "</a> &nbsp; ";
    }
    html += "</p>\n";
    for (const auto *list : {&jsonAnswers().answers, &jsonAnswers().parts}) {
        for (const JsonAnswer &answer : *list)
            html += sectionHtml(answer);
    }
    return html;
}

} // namespace stagecraft
