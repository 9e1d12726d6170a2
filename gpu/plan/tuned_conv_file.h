#pragma once

// Tuned convolutions in a file of JSON lines: first what they depend on, then a line per convolution. Other processes
// see a whole file or the one before. What is missing, damaged or of another fingerprint is not used, and a notice says
// so; keeping never fails: what cannot be written is tuned again next time.

#include "gpu/plan/tuned_conv.h"

#include <filesystem>
#include <map>
#include <string>

namespace stagecraft::gpu {

class TunedConvFile : public ConvMemory {
public:
    // `fingerprint`: what the choices depend on besides the convolution. Empty path: keeps nothing.
    TunedConvFile(std::filesystem::path file, std::string fingerprint);

    [[nodiscard]] const TunedConv *find(const std::string &key) override;
    void add(const std::string &key, TunedConv tuned) override;

    // What to tell a person; empty: nothing. Told once.
    [[nodiscard]] std::string takeNotice();

private:
    using Known = std::map<std::string, TunedConv>;

    [[nodiscard]] Known read();

    std::filesystem::path m_file;
    std::string m_fingerprint;
    Known m_known;
    std::string m_notice;
    bool m_isWritten = true; // false: it could not be written, and a notice said so
};

} // namespace stagecraft::gpu
