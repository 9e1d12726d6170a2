// help: explains the program, a command or a JSON answer.

#include "answers/installation_answers.h"
#include "answers/json_answers.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/print_answer.h"
#include "cli/wrong_use.h"
#include "support/closest_name.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace stagecraft {
namespace {

constexpr const char *kJsonTopic = "json";

// "compare", "latencies export"
Result<std::string> helpOnCommand(const CLI::App &program, const std::vector<std::string> &topic)
{
    const CLI::App *command = &program;
    std::string name = program.get_name();
    for (const std::string &word : topic) {
        std::vector<std::string> names = commandNames(*command);
        if (std::ranges::find(names, word) == names.end()) {
            if (command == &program)
                names.emplace_back(kJsonTopic);
            return fail(ErrorCode::WrongUse, "there is no help on " + word,
                        didYouMean(word, names) + (names.empty()
                                                       ? '"' + command->get_name() + "\" has no commands of its own"
                                                       : "There is help on " + listed(names)));
        }
        command = command->get_subcommand(word);
        name += ' ' + word;
    }
    return program.get_formatter()->make_help(command, name, CLI::AppFormatMode::Normal);
}

Result<std::string> helpOnJson(const std::vector<std::string> &topic)
{
    if (topic.size() == 1)
        return jsonAnswersText();
    std::vector<std::string> names;
    for (const JsonAnswer &answer : jsonAnswers().answers) {
        if (answer.name == topic[1])
            return jsonAnswerText(answer);
        names.push_back(answer.name);
    }
    return fail(ErrorCode::WrongUse, "there is no JSON answer called " + topic[1],
                didYouMean(topic[1], names) + "The answers are " + listed(names));
}

Result<void> help(const CLI::App &program, const std::vector<std::string> &topic, const CommandLine &line)
{
    const bool isOnJson = !topic.empty() && topic.front() == kJsonTopic;
    TRY_AS(const auto text, isOnJson ? helpOnJson(topic) : helpOnCommand(program, topic));
    if (line.json)
        printAnswer(answers::Help{topic, text});
    else
        std::cout << text;
    return {};
}

} // namespace

void addHelpCommand(CLI::App &app, CommandLine &line)
{
    auto *command = app.add_subcommand("help", "Explain a command, or the keys of the JSON answers");
    const auto topic = std::make_shared<std::vector<std::string>>();
    command->add_option("TOPIC", *topic, "a command, json, or json and the name of an answer");
    command->callback(
        [&app, &line, topic] { line.command = [&app, &line, topic] { return help(app, *topic, line); }; });
}

} // namespace stagecraft
