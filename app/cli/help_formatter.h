#pragma once

// Formats the help of a command: wrapped at the width of the terminal, with names of values instead of their types.

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

// "DEVICE" for --device, if the option does not name its value.
[[nodiscard]] std::string valueName(const CLI::Option &option);

// Words that do not fit on a line go to the next one, which starts with `indent` spaces; line breaks of the text stay.
[[nodiscard]] std::string wrapped(const std::string &text, std::size_t columns, std::size_t indent);

} // namespace stagecraft
