#pragma once

#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace stagecraft {

// Lower-case hexadecimal SHA-256 of bytes that arrive in parts.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256 &) = delete;
    Sha256 &operator=(const Sha256 &) = delete;

    void add(std::string_view bytes);
    [[nodiscard]] std::string digest(); // call once, at the end

private:
    evp_md_ctx_st *m_context;
};

[[nodiscard]] std::string sha256(std::string_view bytes);

} // namespace stagecraft
