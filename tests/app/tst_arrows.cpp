// The include rules of DESIGN.md ("The house"): who may include whom, down to the folders in app, core and gpu. Reads
// the sources; fails if an include breaks a rule, if includes form a cycle, or if a type is defined or a function
// declared twice.

#include "support/include_graph.h"
#include "support/places.h"
#include "support/suite.h"

#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QtTest>

using namespace stagecraft::test;

namespace tst_arrows {

namespace {

using Rules = QMap<QString, QSet<QString>>;

const QSet<QString> kValues{"core/support", "core/operators", "core/graph",    "core/model",
                            "core/rewrite", "core/schedule",  "core/timeline", "core/timing"};
const QSet<QString> kCore = kValues + QSet<QString>{"core/search",
                                                    "core/layout",
                                                    "core/plan",
                                                    "core/shelf",
                                                    "core/device",
                                                    "core/simulate",
                                                    "core/cpu",
                                                    "core/device/worker_protocol",
                                                    "core/export",
                                                    "core/export/cpp_project",
                                                    "core/export/pytorch_module"};

// A folder may always include itself. A folder that is not listed here follows the rule of its parent and counts as
// part of it for folders that may include the parent.
const Rules &rules()
{
    static const Rules arrows{
        {"core/support", {}},
        {"core/timing", {"core/support"}},
        {"core/operators", {"core/support"}},
        {"core/graph", {"core/support", "core/operators"}},
        {"core/model", {"core/support", "core/operators", "core/graph", "core/rewrite", "core/schedule", "core/model"}},
        {"core/model/ios", {"core/support", "core/operators", "core/graph"}},
        {"core/model/networks", {"core/support", "core/operators", "core/graph", "core/model/source_graph.h"}},
        {"core/model/onnx",
         {"core/support", "core/operators", "core/graph", "core/model/onnx_export.h", "core/model/onnx_import.h",
          "core/model/opening_budget.h", "core/model/source_graph.h"}},
        {"core/rewrite", {"core/support", "core/operators", "core/graph"}},
        {"core/schedule", {"core/support", "core/operators", "core/graph"}},
        {"core/plan", {"core/support", "core/operators", "core/graph", "core/schedule"}},
        {"core/timeline", {"core/support", "core/operators", "core/graph"}},
        {"core/export",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/timeline",
          "core/model/onnx_export.h"}},
        {"core/export/cpp_project",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/support/sha256.h"}},
        {"core/export/pytorch_module",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/export/cpp_project"}},
        {"core/search", {"core/support", "core/operators", "core/graph", "core/schedule"}},
        {"core/layout", {"core/support", "core/operators", "core/graph", "core/schedule", "core/plan", "core/search"}},
        {"core/shelf", {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/search"}},
        {"core/device",
         {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/timeline",
          "core/search"}},
        {"core/device/worker_protocol",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/timeline", "core/search",
          "core/device/device.h"}},
        {"core/simulate", kValues + QSet<QString>{"core/search", "core/device"}},
        {"core/cpu", kValues + QSet<QString>{"core/plan", "core/search", "core/device"}},
        {"core/cpu/onednn",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/plan", "core/device/cpu/executable.h",
          "core/device/cpu/lane_team.h"}},
        {"gpu", {"core/device"}},
        {"gpu/cuda", {"core/support"}},
        {"gpu/kernels", {}},
        {"gpu/plan", {"core/support", "core/operators", "core/graph", "core/schedule", "core/plan", "gpu/kernels"}},
        {"gpu/profile", {"core/support", "core/operators", "core/graph", "core/timeline", "gpu/cuda", "gpu/plan"}},
        {"gpu/device",
         {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/plan", "core/device",
          "gpu/cuda", "gpu/plan"}},
        {"gpu/session",
         {"core/support", "core/operators", "core/graph", "core/schedule", "core/timeline", "core/device", "gpu/cuda",
          "gpu/device", "gpu/module.h", "gpu/plan", "gpu/profile"}},
        {"widgets",
         {"core/support", "core/operators", "core/graph", "core/model", "core/schedule", "core/plan", "core/timeline",
          "core/search", "core/layout", "core/shelf", "core/model/rewrite/pass.h", "core/model/rewrite/pass_step.h",
          "widgets"}},
        {"app/services", kCore + QSet<QString>{"gpu/plan"}},
        {"app/reproduction", kCore + QSet<QString>{"app/services"}},
        {"app/cli", kCore + QSet<QString>{"app/services", "app/reproduction"}},
        {"app/pictures", kCore + QSet<QString>{"app/services", "app/cli/run_cli.h", "widgets"}},
        {"app/desktop", kCore + QSet<QString>{"app/services", "app/reproduction", "app/pictures", "widgets"}},
        {"app/worker", kCore + QSet<QString>{"gpu/module.h"}},
    };
    return arrows;
}

QString folderOf(const QString &path)
{
    return path.section('/', 0, -2);
}

// The innermost folder with its own rule.
QString ruledFolder(QString folder)
{
    while (!folder.isEmpty() && !rules().contains(folder))
        folder = folderOf(folder);
    return folder;
}

bool mayInclude(const QString &folder, const QString &file)
{
    const QString from = ruledFolder(folder);
    const QString to = ruledFolder(folderOf(file));
    return to == from || rules()[from].contains(file) || rules()[from].contains(to) ||
           (to.startsWith(from + '/')); // a parent is the front of the folders inside it
}

const IncludeGraph &sources()
{
    static const IncludeGraph graph(sourcePath(""), {"app", "core", "gpu", "widgets"});
    return graph;
}

// The parameter types, without names and defaults.
QString typesOf(const QString &parameters)
{
    static const QRegularExpression name(R"(^(.*[\s&*>])\w+$)");
    QStringList types;
    QString one;
    int depth = 0;
    for (const QChar letter : parameters + ',') {
        depth += QStringLiteral("<({").contains(letter) ? 1 : QStringLiteral(">)}").contains(letter) ? -1 : 0;
        if (letter != ',' || depth > 0) {
            one += letter;
            continue;
        }
        one = one.section('=', 0, 0).simplified();
        const QString type = name.match(one).captured(1).trimmed();
        types += type.isEmpty() || type == "const" ? one : type;
        one.clear();
    }
    return types.join(", ");
}

// The free functions of a header, as "stagecraft::percent(double)". Templates are left out.
QStringList signaturesIn(const QString &text)
{
    static const QRegularExpression space(R"(^namespace ([\w:]+) \{)", QRegularExpression::MultilineOption);
    static const QRegularExpression function(
        R"(^(?!using |return |template|friend )(?:\[\[nodiscard\]\] )?[\w:][\w:<>, ]*[ &*]+(\w+)\()",
        QRegularExpression::MultilineOption);
    static const QRegularExpression afterTemplate(R"(template <.*>\s*$)");
    QStringList signatures;
    for (auto found = function.globalMatch(text); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        if (afterTemplate.match(text.left(match.capturedStart())).hasMatch())
            continue;
        int depth = 1;
        qsizetype end = match.capturedEnd();
        for (; depth > 0 && end < text.size(); ++end)
            depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        const QString parameters = text.mid(match.capturedEnd(), end - match.capturedEnd() - 1);
        signatures += space.match(text).captured(1) + "::" + match.captured(1) + '(' + typesOf(parameters) + ')';
    }
    return signatures;
}

} // namespace

class TestArrows : public QObject {
    Q_OBJECT

private slots:
    void includes_ofEveryFolder_followTheArrows();
    void includes_ofEveryFile_areFound();
    void includes_ofHeaders_goInNoCircle();
    void includes_ofFolders_goInNoCircle();
    void includes_ofTheSearch_pointDownOnly();
    void includes_ofCore_haveNoQt();
    void names_ofTypes_areDefinedOnce();
    void names_ofFunctions_areDeclaredOnce();
    void signatures_ofMadeUpText_areFound();
    void circle_inMadeUpIncludes_isFound();
};

void TestArrows::includes_ofEveryFolder_followTheArrows()
{
    QStringList broken;
    int seen = 0;
    for (const IncludeGraph::Include &include : sources().includes()) {
        const QString folder = folderOf(include.from);
        QVERIFY2(!ruledFolder(folder).isEmpty(), qPrintable(folder + " has no rule: say here what it may include"));
        ++seen;
        if (!mayInclude(folder, include.to))
            broken += include.from + " includes " + include.to + ", which " + ruledFolder(folder) + " must not know";
    }
    QVERIFY(seen > 1000); // the sources were found
    QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
}

void TestArrows::includes_ofEveryFile_areFound()
{
    QVERIFY2(sources().unresolved().isEmpty(), qPrintable(sources().unresolved().join('\n')));
}

void TestArrows::includes_ofHeaders_goInNoCircle()
{
    const QStringList circle = findCircle(sources().edges(
        [](const QString &file) { return file.endsWith(".h") || file.endsWith(".cuh") ? file : QString(); }));
    QVERIFY2(circle.isEmpty(), qPrintable(circle.join(" -> ")));
}

// A folder is the front of the folders inside it, so they count as one here; the rules above say what they may include
// from it.
void TestArrows::includes_ofFolders_goInNoCircle()
{
    for (const QString &top :
         {QStringLiteral("app"), QStringLiteral("core"), QStringLiteral("gpu"), QStringLiteral("widgets")}) {
        const QStringList circle = findCircle(sources().edges([&top](const QString &file) {
            const bool isInside = file.startsWith(top + '/') && file.count('/') > 1;
            return isInside ? file.section('/', 0, 1) : QString();
        }));
        QVERIFY2(circle.isEmpty(), qPrintable(circle.join(" -> ")));
    }
}

// Here a header and its source count as one.
void TestArrows::includes_ofTheSearch_pointDownOnly()
{
    const QStringList circle = findCircle(sources().edges(
        [](const QString &file) { return file.startsWith("core/search/") ? file.section('.', 0, 0) : QString(); }));
    QVERIFY2(circle.isEmpty(), qPrintable(circle.join(" -> ")));
}

void TestArrows::includes_ofCore_haveNoQt()
{
    for (const IncludeGraph::Include &include : sources().systemIncludes()) {
        const bool isQt = include.to.startsWith('Q') || include.to.startsWith("qcustomplot");
        QVERIFY2(!isQt || !include.from.startsWith("core/"), qPrintable(include.from + " includes " + include.to));
    }
}

// Two types with the same name in one program are the same to the linker, whatever their members.
void TestArrows::names_ofTypes_areDefinedOnce()
{
    static const QRegularExpression type(R"(^(?:struct|class|enum class) (\w+)(?: final)?(?: :.*)? \{)",
                                         QRegularExpression::MultilineOption);
    static const QRegularExpression space(R"(^namespace ([\w:]+) \{)", QRegularExpression::MultilineOption);
    QMap<QString, QString> definedIn;
    for (const QString &header : sources().files()) {
        if (!header.endsWith(".h"))
            continue;
        QFile file(sourcePath(header));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        const QString name = space.match(text).captured(1);
        for (auto found = type.globalMatch(text); found.hasNext();) {
            const QString whole = name + "::" + found.next().captured(1);
            QVERIFY2(!definedIn.contains(whole),
                     qPrintable(whole + " is defined in " + definedIn.value(whole) + " and in " + header));
            definedIn[whole] = header;
        }
    }
    QVERIFY(definedIn.size() > 150);
}

// Two functions with the same name and parameters are the same to the linker, whatever they return.
void TestArrows::names_ofFunctions_areDeclaredOnce()
{
    QMap<QString, QString> declaredIn;
    for (const QString &header : sources().files()) {
        if (!header.endsWith(".h"))
            continue;
        QFile file(sourcePath(header));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QString &signature : signaturesIn(QString::fromUtf8(file.readAll()))) {
            QVERIFY2(!declaredIn.contains(signature),
                     qPrintable(signature + " is declared in " + declaredIn.value(signature) + " and in " + header));
            declaredIn[signature] = header;
        }
    }
    QVERIFY(declaredIn.size() > 150);
}

void TestArrows::signatures_ofMadeUpText_areFound()
{
    const QStringList found = signaturesIn("namespace stagecraft::there {\n"
                                           "[[nodiscard]] std::string text(double latencyUs); // \"1 us\"\n"
                                           "QString text(double);\n"
                                           "const Graph &graphOf(const std::map<int, Graph> &graphs,\n"
                                           "                     std::stop_token stop = {}, bool *done = nullptr);\n"
                                           "template <typename T>\nT made(T value);\n"
                                           "struct Case {\n    int member(int value) const;\n};\n"
                                           "}\n");
    const QString text = "stagecraft::there::text(double)";
    QCOMPARE(found, QStringList({text, text,
                                 "stagecraft::there::graphOf(const std::map<int, Graph> &, std::stop_token, bool *)"}));
}

void TestArrows::circle_inMadeUpIncludes_isFound()
{
    QVERIFY(findCircle({{"a", {"b", "c"}}, {"b", {"c"}}}).isEmpty());
    QCOMPARE(findCircle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), QStringList({"b", "c", "b"}));
}

STAGECRAFT_SUITE(TestArrows)

} // namespace tst_arrows
#include "tst_arrows.moc"
