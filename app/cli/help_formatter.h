#pragma once

// How the help of a command looks: wrapped at the width of the terminal, names of values instead of their types.

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace stagecraft {

class HelpFormatter : public CLI::Formatter {
public:
    HelpFormatter();

    std::string make_option(const CLI::Option *option, bool isPositional) const override;
    std::string make_option_opts(const CLI::Option *option) const override;
    std::string make_subcommand(const CLI::App *command) const override;
    std::string make_description(const CLI::App *command) const override;
    std::string make_footer(const CLI::App *command) const override;

private:
    [[nodiscard]] std::string entry(const std::string &name, const std::string &description) const;

    std::size_t m_columns = 80;
};

// Words that do not fit the line go to the next one, which begins with `indent` spaces; lines of the text are kept.
[[nodiscard]] std::string wrapped(const std::string &text, std::size_t columns, std::size_t indent);

} // namespace stagecraft
