// The program of the suites of a folder, with a QApplication where they have widgets.

#include "support/suite.h"

#ifdef QT_WIDGETS_LIB
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

#include <cstdio>
#include <filesystem>
#include <map>

namespace stagecraft::test {
namespace {

std::map<std::string, SuiteFunction> &suites()
{
    static std::map<std::string, SuiteFunction> registered;
    return registered;
}

} // namespace

bool registerSuite(const char *file, SuiteFunction run)
{
    return suites().emplace(std::filesystem::path(file).stem().string(), run).second;
}

} // namespace stagecraft::test

int main(int argc, char **argv)
{
    const auto &suites = stagecraft::test::suites();
    const auto suite = suites.find(argc > 1 ? argv[1] : "");
    if (suite == suites.end()) {
        for (const auto &[name, run] : suites)
            std::puts(name.c_str());
        return argc > 1 ? 2 : 0;
    }
    argv[1] = argv[0];
    int count = argc - 1;
    Application application(count, argv + 1);
    return suite->second(count, argv + 1);
}
