// Who may include whom, down to the folders in app, core, gpu and widgets. Reads
// the sources; fails if an include breaks a rule, if includes form a cycle, if a type is defined or a function declared
// twice, or if a class has its members in several sources.

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

// The rooms of core, each with what it may include; support, which all may, is left out.
const Rules &rooms()
{
    static const Rules all{
        {"core/support", {}},
        {"core/operators", {}},
        {"core/graph", {"core/operators"}},
        {"core/model", {"core/operators", "core/graph"}},
        {"core/timing", {"core/graph"}},
        {"core/schedule", {"core/operators", "core/graph", "core/timing"}},
        {"core/plan", {"core/operators", "core/graph", "core/schedule"}},
        {"core/search", {"core/graph", "core/schedule", "core/plan"}},
        {"core/device", {"core/operators", "core/graph", "core/timing", "core/schedule", "core/plan"}},
        {"core/measure", {"core/timing", "core/schedule", "core/device"}},
        {"core/results", {"core/graph", "core/timing", "core/schedule", "core/search"}},
        {"core/export", {"core/operators", "core/graph", "core/model", "core/timing", "core/schedule", "core/results"}},
        {"core/flow",
         {"core/operators", "core/graph", "core/model", "core/timing", "core/schedule", "core/plan", "core/search",
          "core/device", "core/measure", "core/results", "core/export"}},
    };
    return all;
}

constexpr int kArrowsOfCore = 54; // between two rooms; they come down, not up

// A folder may always include itself and what lies inside it. One that is not listed here follows the rule of its
// parent.
const Rules &rules()
{
    static const Rules arrows = [] {
        Rules all{
            {"core/model/ios", {"core/support", "core/operators", "core/graph", "core/model/ios_stage.h"}},
            {"core/model/networks",
             {"core/support", "core/operators", "core/graph", "core/model/generator.h", "core/model/source_graph.h"}},
            {"core/model/onnx",
             {"core/support", "core/operators", "core/graph", "core/model/onnx_export.h", "core/model/onnx_import.h",
              "core/model/opening_budget.h", "core/model/source_graph.h"}},
            {"core/model/rewrite", {"core/support", "core/operators", "core/graph"}},
            {"core/model/union", {"core/support", "core/graph", "core/model"}},
            {"core/timing/statistics", {"core/support", "core/timing"}},
            {"core/timing/timeline", {"core/support", "core/graph", "core/timing"}},
            {"core/schedule/compare",
             {"core/support", "core/graph", "core/timing", "core/schedule", "core/schedule/edit",
              "core/schedule/streams"}},
            {"core/schedule/edit", {"core/support", "core/graph", "core/schedule", "core/schedule/streams"}},
            {"core/schedule/layouts", {"core/support", "core/operators", "core/graph", "core/schedule"}},
            {"core/schedule/streams", {"core/support", "core/graph", "core/schedule"}},
            {"core/search/streams", {"core/support", "core/graph", "core/schedule", "core/search"}},
            {"core/search/union",
             {"core/support", "core/graph", "core/schedule", "core/search", "core/search/streams"}},
            {"core/search/order", {"core/support", "core/graph", "core/schedule"}},
            {"core/search/stages", {"core/support", "core/graph", "core/schedule", "core/search", "core/search/order"}},
            {"core/search/layouts",
             {"core/support", "core/graph", "core/schedule", "core/search", "core/search/stages"}},
            {"core/search/capped",
             {"core/support", "core/graph", "core/schedule", "core/plan", "core/search", "core/search/stages"}},
            {"core/device/executing",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device"}},
            {"core/device/pool", {"core/support", "core/graph", "core/timing", "core/schedule", "core/device"}},
            {"core/device/recorded", {"core/support", "core/graph", "core/timing", "core/schedule", "core/device"}},
            {"core/device/simulated",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device"}},
            {"core/device/cpu",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/plan",
              "core/device", "core/device/executing"}},
            {"core/device/cpu/onednn",
             {"core/support", "core/operators", "core/graph", "core/schedule", "core/plan",
              "core/device/cpu/executable.h", "core/device/cpu/lane_team.h", "core/device/cpu/launch_queue.h",
              "core/device/cpu/rprogram_run.h", "core/device/cpu/tuned/tiled_convolution.h",
              "core/device/kernel_tuning.h"}},
            {"core/device/onnxruntime",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device",
              "core/device/executing"}},
            {"core/device/worker",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device",
              "core/device/executing", "core/device/recorded"}},
            {"core/device/worker/protocol",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device/device.h",
              "core/device/device_record.h", "core/device/worker/python_statements.h"}},
            {"core/measure/store", {"core/support", "core/graph", "core/timing", "core/schedule", "core/device"}},
            {"core/export/cpp_project", {"core/support", "core/operators", "core/graph", "core/schedule"}},
            {"core/export/onnxruntime",
             {"core/support", "core/operators", "core/graph", "core/model", "core/schedule",
              "core/export/cpp_project"}},
            {"core/export/pytorch_module",
             {"core/support", "core/operators", "core/graph", "core/timing/device_id.h", "core/schedule",
              "core/export/cpp_project"}},
            {"gpu", {"core/device"}},
            {"gpu/cuda", {"core/support"}},
            {"gpu/kernels", {}},
            {"gpu/plan", {"core/support", "core/operators", "core/graph", "core/schedule", "core/plan", "gpu/kernels"}},
            {"gpu/profile", {"core/support", "core/operators", "core/graph", "core/timing", "gpu/cuda", "gpu/plan"}},
            {"gpu/device",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/plan",
              "core/device", "gpu/cuda", "gpu/plan"}},
            {"gpu/session",
             {"core/support", "core/operators", "core/graph", "core/timing", "core/schedule", "core/device", "gpu/cuda",
              "gpu/device", "gpu/module.h", "gpu/plan", "gpu/profile"}},
            {"widgets",
             {"core/support", "core/operators", "core/graph", "core/model", "core/timing", "core/schedule", "core/plan",
              "core/search", "core/results", "widgets"}},
        };
        QSet<QString> core;
        for (auto room = rooms().begin(); room != rooms().end(); ++room) {
            all[room.key()] = room.value() + QSet<QString>{"core/support"};
            core += room.key();
        }
        all["app/answers"] = core + QSet<QString>{"app/reproduction"};
        all["app/wiring"] = core + QSet<QString>{"gpu/plan"};
        all["app/reproduction"] = core + QSet<QString>{"app/wiring"};
        all["app/cli"] = core + QSet<QString>{"app/answers", "app/reproduction", "app/wiring"};
        all["app/pictures"] = core + QSet<QString>{"app/cli/run_cli.h", "widgets"};
        all["app/desktop"] =
            core + QSet<QString>{"app/answers", "app/pictures", "app/reproduction", "app/wiring", "widgets"};
        all["app/worker"] = core + QSet<QString>{"gpu/module.h"};
        // Parts of the window: later ones may include earlier ones, and the folder itself includes all.
        const QStringList parts{"work", "frame", "kept", "document", "dialogs", "areas"};
        for (qsizetype i = 0; i < parts.size(); ++i) {
            QSet<QString> &rule = all["app/desktop/" + parts[i]] = all["app/desktop"];
            for (const QString &earlier : parts.first(i))
                rule += "app/desktop/" + earlier;
        }
        // Views know what all share, and few know another.
        const Rules views{{"base", {}},
                          {"graph", {"widgets/canvas"}},
                          {"schedule", {"widgets/canvas"}},
                          {"passes", {"widgets/canvas", "widgets/graph"}},
                          {"comparison", {"widgets/schedule"}}};
        for (const QString view : {"base", "blocks", "canvas", "charts", "comparison", "device_editor", "graph",
                                   "inspector", "passes", "schedule", "search", "shelf", "study", "timeline"})
            all["widgets/" + view] =
                all["widgets"] - QSet<QString>{"widgets"} + views[view] + QSet<QString>{"widgets/base"};
        return all;
    }();
    return arrows;
}

// Only their room knows what is in these.
const QSet<QString> kClosed{"core/model/ios", "core/model/networks", "core/model/onnx", "core/device/cpu/onednn"};

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

// The folder of a room, or inside one, that the rule names.
bool names(const QSet<QString> &rule, const QString &folder)
{
    if (rule.contains(folder) || folder.isEmpty())
        return !folder.isEmpty();
    return !kClosed.contains(folder) && names(rule, folderOf(folder));
}

bool mayInclude(const QString &folder, const QString &file)
{
    const QString from = ruledFolder(folder);
    const QString to = ruledFolder(folderOf(file));
    if (to == from || to.startsWith(from + '/') || rules()[from].contains(file))
        return true;
    // Within a room its folders are apart; others see the room as one.
    const bool isSameRoom = from.section('/', 0, 1) == to.section('/', 0, 1);
    return isSameRoom ? rules()[from].contains(to) : names(rules()[from], to);
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

// The classes whose member functions a source defines; of a nested class, the outermost.
QSet<QString> classesWithMembersIn(const QString &text)
{
    static const QRegularExpression member(
        R"(^(?![\s#/])(?:[^=;\x22(\n]*[ &*>])?([A-Z]\w*)::(?:\w+::)*(?:~?\w+|operator[^\w\s]+)\()",
        QRegularExpression::MultilineOption);
    QSet<QString> classes;
    for (auto found = member.globalMatch(text); found.hasNext();)
        classes += found.next().captured(1);
    return classes;
}

} // namespace

class TestArrows : public QObject {
    Q_OBJECT

private slots:
    void includes_ofEveryFolder_followTheArrows();
    void includes_ofEveryFile_areFound();
    void arrows_betweenRooms_becomeNoMore();
    void includes_ofHeaders_goInNoCircle();
    void includes_ofFolders_goInNoCircle();
    void includes_ofTheSearch_pointDownOnly();
    void includes_ofCore_haveNoQt();
    void names_ofTypes_areDefinedOnce();
    void names_ofFunctions_areDeclaredOnce();
    void members_ofAClass_areInOneSource();
    void signatures_ofMadeUpText_areFound();
    void classes_ofMadeUpText_areFound();
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

// A room that needs a further one is a decision: the number is written here, and each arrow is used.
void TestArrows::arrows_betweenRooms_becomeNoMore()
{
    QSet<QString> used;
    for (const IncludeGraph::Include &include : sources().includes()) {
        const QString from = include.from.section('/', 0, 1);
        const QString to = include.to.section('/', 0, 1);
        if (from != to && rooms().contains(from) && rooms().contains(to))
            used += from + " -> " + to;
    }
    for (auto room = rooms().begin(); room != rooms().end(); ++room) {
        for (const QString &other : room.value())
            QVERIFY2(used.contains(room.key() + " -> " + other), qPrintable(room.key() + " never includes " + other));
    }
    QCOMPARE(used.size(), kArrowsOfCore);
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
    const QStringList circle = findCircle(sources().edges([](const QString &file) {
        return file.startsWith("core/search/stages/") ? file.section('.', 0, 0) : QString();
    }));
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

// Cutting a class into several files hides its size: two classes show it.
void TestArrows::members_ofAClass_areInOneSource()
{
    QMap<QString, QStringList> sourcesOf; // by the top folder and the name
    for (const QString &source : sources().files()) {
        if (!source.endsWith(".cpp"))
            continue;
        QFile file(sourcePath(source));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const QString &name : classesWithMembersIn(QString::fromUtf8(file.readAll())))
            sourcesOf[source.section('/', 0, 0) + '/' + name] += source;
    }
    QVERIFY(sourcesOf.size() > 150);
    for (auto one = sourcesOf.begin(); one != sourcesOf.end(); ++one)
        QVERIFY2(one.value().size() == 1, qPrintable(one.key() + " has its members in " + one.value().join(", ")));
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

void TestArrows::classes_ofMadeUpText_areFound()
{
    const QSet<QString> found = classesWithMembersIn("First::First(int value) : m_value(value) {}\n"
                                                     "Second::~Second() = default;\n"
                                                     "Result<std::vector<Other::Value>>\n"
                                                     "Third::values(const Other &other) const\n"
                                                     "{\n    Other::call(other);\n}\n"
                                                     "const Other::Value &Fourth::Private::value()\n"
                                                     "Fifth &Fifth::operator=(Fifth &&) noexcept = default;\n"
                                                     "Other::Value freeFunction(Other::Value value)\n"
                                                     "const Other kOther = Other::made(1);\n"
                                                     "// Other::comment()\n");
    QCOMPARE(found, QSet<QString>({"First", "Second", "Third", "Fourth", "Fifth"}));
}

void TestArrows::circle_inMadeUpIncludes_isFound()
{
    QVERIFY(findCircle({{"a", {"b", "c"}}, {"b", {"c"}}}).isEmpty());
    QCOMPARE(findCircle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), QStringList({"b", "c", "b"}));
}

STAGECRAFT_SUITE(TestArrows)

} // namespace tst_arrows
#include "tst_arrows.moc"
