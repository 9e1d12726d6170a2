#pragma once

// Changes an input at random, the same way for the same seed: bytes, and where the form is known also members of JSON
// and fields of messages, so that what is changed is still read.

#include "fuzz/target.h"

#include <cstdint>
#include <random>
#include <string>

namespace google::protobuf {
class Message;
}

namespace stagecraft::fuzz {

class Changes {
public:
    Changes(Form form, std::uint64_t seed) : m_form(form), m_random(seed) {}

    // `other` gives parts.
    [[nodiscard]] std::string changed(const std::string &input, const std::string &other);

private:
    [[nodiscard]] std::size_t below(std::size_t count);
    [[nodiscard]] bool oneIn(std::size_t count) { return below(count) == 0; }
    [[nodiscard]] std::int64_t number();

    [[nodiscard]] std::string changedBytes(std::string bytes, const std::string &other);
    // Empty: the input is not of that form.
    [[nodiscard]] std::string changedJson(const std::string &input, const std::string &other);
    [[nodiscard]] std::string changedLine(const std::string &input, const std::string &other);
    template <typename Message>
    [[nodiscard]] std::string changedMessage(const std::string &input, const std::string &other);
    void changeField(google::protobuf::Message &message, const google::protobuf::Message &other);

    Form m_form;
    std::mt19937_64 m_random;
};

} // namespace stagecraft::fuzz
