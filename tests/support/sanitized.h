#pragma once

namespace stagecraft {

// Whether a sanitizer watches, which makes brute force five to twenty times slower: a part of it is enough then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace stagecraft
