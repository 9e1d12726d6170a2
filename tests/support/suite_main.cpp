// The program of the suites of a folder, with a QApplication where they have widgets.

#include "support/suite.h"

#ifdef QT_WIDGETS_LIB
#include <QApplication>
using ProgramApplication = QApplication;
#else
#include <QCoreApplication>
using ProgramApplication = QCoreApplication;
#endif

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

namespace stagecraft::test {
namespace {

struct Suite {
    SuiteFunction run;
    SuiteApplication application;
};

std::map<std::string, Suite> &suites()
{
    static std::map<std::string, Suite> registered;
    return registered;
}

} // namespace

bool registerSuite(const char *file, SuiteFunction run, SuiteApplication application)
{
    return suites().emplace(std::filesystem::path(file).stem().string(), Suite{run, application}).second;
}

} // namespace stagecraft::test

int main(int argc, char **argv)
{
    using stagecraft::test::SuiteApplication;
    const auto &suites = stagecraft::test::suites();
    const auto suite = suites.find(argc > 1 ? argv[1] : "");
    if (suite == suites.end()) {
        for (const auto &[name, each] : suites)
            std::puts(name.c_str());
        return argc > 1 ? 2 : 0;
    }
    argv[1] = argv[0];
    int count = argc - 1;
    std::optional<ProgramApplication> application;
    if (suite->second.application == SuiteApplication::Made)
        application.emplace(count, argv + 1);
    return suite->second.run(count, argv + 1);
}
