#include "engine/error_text.h"

namespace stagecraft {
namespace {

std::string sentence(std::string text)
{
    if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!')
        text += '.';
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
        text += ' ' + sentence(error.remedy);
    return text;
}

} // namespace stagecraft
