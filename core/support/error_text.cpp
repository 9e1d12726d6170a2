#include "support/error_text.h"

#include "support/shown_text.h"

namespace stagecraft {
namespace {

std::string sentence(std::string text)
{
    if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!')
        text += '.';
    return text;
}

// A remedy is a separate sentence here, but not everywhere.
std::string capitalized(std::string text)
{
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    return text;
}

} // namespace

std::string errorText(const Error &error)
{
    std::string text;
    for (const std::string &where : error.context)
        text += where + ": ";
    text += sentence(error.message);
    if (!error.remedy.empty())
        text += ' ' + sentence(capitalized(error.remedy));
    return shownText(text);
}

} // namespace stagecraft
