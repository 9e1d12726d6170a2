#pragma once

// TRY(check(graph)); returns the error where there is one. TRY_AS(auto model, openModel(name)); declares what there is
// otherwise. Nothing else passes an error on unchanged. What is named stays as it is: values and errors of named
// results are copied, others moved.

#include <utility>

#define STAGECRAFT_JOINED(a, b) a##b
#define STAGECRAFT_NAMED(a, b) STAGECRAFT_JOINED(a, b)
#define STAGECRAFT_TRY(tried, ...)                                                                                     \
    auto &&tried = __VA_ARGS__;                                                                                        \
    if (!tried) [[unlikely]]                                                                                           \
    return tl::unexpected(std::forward<decltype(tried)>(tried).error())
#define STAGECRAFT_TRY_AS(declaration, tried, ...)                                                                     \
    STAGECRAFT_TRY(tried, __VA_ARGS__);                                                                                \
    declaration = *std::forward<decltype(tried)>(tried)

#define TRY(...)                                                                                                       \
    do {                                                                                                               \
        STAGECRAFT_TRY(STAGECRAFT_NAMED(tried, __COUNTER__), __VA_ARGS__);                                             \
    } while (false)
#define TRY_AS(declaration, ...) STAGECRAFT_TRY_AS(declaration, STAGECRAFT_NAMED(tried, __COUNTER__), __VA_ARGS__)
