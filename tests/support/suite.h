#pragma once

#include <QTest>

#include <string>

/**
 * A test program holds the suites of a folder: each .cpp file registers one, and the program's first argument says
 * which runs: `core_schedule tst_spans [ARGUMENTS OF QT TEST]`. Without arguments the program lists its suites.
 */
namespace stagecraft::test {

using SuiteFunction = int (*)(int argc, char **argv);

enum class SuiteApplication { Made, OfItsOwn }; // by the program, or by the suite itself

// The name of a suite is that of its file, tst_spans. True, so that a constant can be initialised by it.
bool registerSuite(const char *file, SuiteFunction run, SuiteApplication application = SuiteApplication::Made);

template <typename Suite>
int runSuite(int argc, char **argv)
{
    Suite suite;
    return QTest::qExec(&suite, argc, argv);
}

} // namespace stagecraft::test

// A condition that holds ends the wait; until then a loaded machine may take a minute.
#undef QTRY_VERIFY
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT((condition), 60000)
#undef QTRY_COMPARE
#define QTRY_COMPARE(value, expected) QTRY_COMPARE_WITH_TIMEOUT((value), (expected), 60000)

#define STAGECRAFT_SUITE_WITH(Suite, application)                                                                      \
    [[maybe_unused]] static const bool isRegistered##Suite = ::stagecraft::test::registerSuite(                        \
        __FILE__, &::stagecraft::test::runSuite<Suite>, ::stagecraft::test::SuiteApplication::application);
#define STAGECRAFT_SUITE(Suite) STAGECRAFT_SUITE_WITH(Suite, Made)
