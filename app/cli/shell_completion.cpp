#include "cli/shell_completion.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {
namespace {

std::string joined(const std::vector<std::string> &words, const std::string &separator)
{
    return fmt::format("{}", fmt::join(words, separator));
}

// In single quotes, for all three shells.
std::string quoted(const std::string &text)
{
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + '\'';
}

std::string keyOf(const CompletedCommand &command)
{
    return joined(command.path, "/");
}

// The body shared by bash and zsh, which read `case` alike: sets `found` to the words, and `files` to 1 where files may
// stand, from `command` ("latencies/export"), `previous` and `current`.
std::string caseStatements(const std::vector<CompletedCommand> &commands)
{
    std::string values;
    std::string others;
    for (const CompletedCommand &command : commands) {
        std::vector<std::string> words = command.commands;
        std::vector<std::string> names;
        bool files = false;
        for (const CompletedOption &option : command.options) {
            names.insert(names.end(), option.names.begin(), option.names.end());
            if (option.names.empty()) {
                words.insert(words.end(), option.words.begin(), option.words.end());
                files = files || option.isFile;
                continue;
            }
            if (option.value.empty())
                continue;
            std::vector<std::string> patterns;
            for (const std::string &name : option.names)
                patterns.push_back(quoted(keyOf(command) + ':' + name));
            values += "    " + joined(patterns, " | ") + ") found=" + quoted(joined(option.words, " ")) +
                      " files=" + (option.isFile || option.words.empty() ? "1" : "0") + " ;;\n";
        }
        others += "        " + quoted(keyOf(command)) + ") found=" + quoted(joined(words, " ")) +
                  " options=" + quoted(joined(names, " ")) + " files=" + (files ? "1" : "0") + " ;;\n";
    }
    return "    case \"$command:$previous\" in\n" + values + "    *)\n        case \"$command\" in\n" + others +
           "        esac\n        [[ $current == -* ]] && found=$options files=0\n        ;;\n    esac\n";
}

// Patterns of "command/word" that lead to a command.
std::string pathPatterns(const std::vector<CompletedCommand> &commands)
{
    std::vector<std::string> patterns;
    for (const CompletedCommand &command : commands) {
        if (!command.path.empty())
            patterns.push_back(quoted((command.path.size() == 1 ? "/" : "") + keyOf(command)));
    }
    return joined(patterns, " | ");
}

// What fits beside a word.
std::string firstClause(const std::string &description)
{
    constexpr std::size_t kMax = 70;
    const std::string clause = description.substr(0, description.find(';'));
    return clause.size() <= kMax ? clause : clause.substr(0, clause.rfind(' ', kMax)) + " ...";
}

// Whether a command is typed, for fish: its words are there, and no command of the same name above another one.
std::string fishCondition(const CompletedCommand &command, const std::vector<CompletedCommand> &commands)
{
    if (command.path.empty())
        return "__fish_use_subcommand";
    std::vector<std::string> parts;
    for (const std::string &word : command.path)
        parts.push_back("__fish_seen_subcommand_from " + word);
    for (const CompletedCommand &other : commands) {
        if (command.path.size() == 1 && other.path.size() == 1 && other.path != command.path &&
            std::ranges::find(other.commands, command.path.front()) != other.commands.end())
            parts.push_back("not __fish_seen_subcommand_from " + other.path.front());
    }
    if (!command.commands.empty())
        parts.push_back("not __fish_seen_subcommand_from " + joined(command.commands, " "));
    return joined(parts, "; and ");
}

} // namespace

std::string bashCompletion(const std::vector<CompletedCommand> &commands)
{
    return "# Completes the words of stagecraft-cli in bash. Written by: stagecraft-cli completion bash\n"
           "_stagecraft_cli()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
           "line=(\"${COMP_WORDS[@]}\")\n"
           "    local last=$COMP_CWORD command= found= options= files=0 index\n"
           "    # Colons and equal signs are parts of words: sim:v100\n"
           "    if declare -F _get_comp_words_by_ref > /dev/null; then\n"
           "        _get_comp_words_by_ref -n := -c current -p previous -w line -i last\n"
           "    fi\n"
           "    for ((index = 1; index < last; ++index)); do\n"
           "        case \"$command/${line[index]}\" in\n"
           "        " +
           pathPatterns(commands) + ") command=${command:+$command/}${line[index]} ;;\n        esac\n    done\n" +
           caseStatements(commands) +
           "    mapfile -t COMPREPLY < <(compgen -W \"$found\" -- \"$current\")\n"
           "    if ((files)); then\n"
           "        compopt -o filenames 2> /dev/null\n"
           "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\")\n"
           "    fi\n"
           "    if declare -F __ltrimcoloncomps > /dev/null; then\n"
           "        __ltrimcoloncomps \"$current\"\n"
           "    fi\n"
           "}\n"
           "complete -F _stagecraft_cli stagecraft-cli\n";
}

std::string zshCompletion(const std::vector<CompletedCommand> &commands)
{
    return "#compdef stagecraft-cli\n"
           "# Completes the words of stagecraft-cli in zsh. Written by: stagecraft-cli completion zsh\n"
           "_stagecraft_cli()\n{\n"
           "    local current=$words[CURRENT] previous=$words[CURRENT-1]\n"
           "    local command= found= options= files=0 index\n"
           "    for ((index = 2; index < CURRENT; ++index)); do\n"
           "        case \"$command/$words[index]\" in\n"
           "        " +
           pathPatterns(commands) + ") command=${command:+$command/}$words[index] ;;\n        esac\n    done\n" +
           caseStatements(commands) +
           "    [[ -n $found ]] && compadd -- ${=found}\n"
           "    ((files)) && _files\n"
           "    return 0\n"
           "}\n"
           "_stagecraft_cli \"$@\"\n";
}

std::string fishCompletion(const std::vector<CompletedCommand> &commands)
{
    std::string text = "# Completes the words of stagecraft-cli in fish. Written by: stagecraft-cli completion fish\n";
    for (const CompletedCommand &command : commands) {
        const std::string start = "complete -c stagecraft-cli -n " + quoted(fishCondition(command, commands));
        for (const CompletedCommand &child : commands) {
            const bool isBelow = child.path.size() == command.path.size() + 1 &&
                                 std::equal(command.path.begin(), command.path.end(), child.path.begin());
            if (isBelow)
                text += start + " -f -a " + child.path.back() + " -d " + quoted(child.description) + '\n';
        }
        for (const CompletedOption &option : command.options) {
            std::string line = start;
            for (const std::string &name : option.names)
                line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (option.names.empty() && option.words.empty())
                continue;
            if (!option.names.empty() && !option.value.empty())
                line += option.isFile || option.words.empty() ? " -r" : " -x";
            if (!option.words.empty())
                line += " -a " + quoted(joined(option.words, " "));
            text +=
                line + " -d " + quoted(option.names.empty() ? option.value : firstClause(option.description)) + '\n';
        }
    }
    return text;
}

} // namespace stagecraft
