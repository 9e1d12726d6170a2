#include "support/sha256.h"

#include <array>
#include <fmt/format.h>
#include <new>
#include <openssl/evp.h>

namespace stagecraft {

Sha256::Sha256() : m_context(EVP_MD_CTX_new())
{
    if (!m_context || EVP_DigestInit_ex(m_context, EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc();
}

Sha256::~Sha256()
{
    EVP_MD_CTX_free(m_context);
}

void Sha256::add(std::string_view bytes)
{
    EVP_DigestUpdate(m_context, bytes.data(), bytes.size());
}

std::string Sha256::digest()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(m_context, digest.data(), &size);
    return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

std::string sha256(std::string_view bytes)
{
    Sha256 sum;
    sum.add(bytes);
    return sum.digest();
}

} // namespace stagecraft
