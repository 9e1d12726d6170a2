// Checks the statements of README.md, CONTRIBUTING.md, the help and the other pages: commands run, quoted output
// matches, figures are those that the command prints, and named files, presets and options exist.

#include "device/npy.h"
#include "results/files/session_json.h"
#include "support/cli_process.h"
#include "support/places.h"
#include "support/profile_making.h"
#include "support/session_making.h"
#include "support/suite.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

namespace tst_readme {

namespace {

const QStringList kPages{"README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/gpu/README.md"};
const QString kHelp = QStringLiteral("resources/help/index.html");

QString textOf(const QString &path)
{
    QFile file(sourcePath(path));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(path));
    return QString::fromUtf8(file.readAll());
}

struct Command {
    QString line;       // without the prompt and the explanation
    QStringList output; // quoted below it
};

// The commands in fenced blocks: "$ command" with its output, or "command    what it does". Blocks of C++ have none.
QList<Command> commandsOf(const QString &page)
{
    static const QRegularExpression fences(QStringLiteral("^```(\\w*)\\n(.*?)^```$"),
                                           QRegularExpression::MultilineOption |
                                               QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression preformatted(QStringLiteral("<(pre)>(.*?)</pre>"),
                                                 QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression remark(QStringLiteral("   +.*$"));
    QList<Command> commands;
    for (const auto &block : (page == kHelp ? preformatted : fences).globalMatch(textOf(page))) {
        if (block.captured(1) == QStringLiteral("cpp"))
            continue;
        const bool console = block.captured(2).startsWith(QStringLiteral("$ "));
        for (const QString &line : block.captured(2).split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
            if (!console)
                commands.append({QString(line).remove(remark).section(QStringLiteral("  #"), 0, 0).trimmed(), {}});
            else if (line.startsWith(QStringLiteral("$ ")))
                commands.append({line.mid(2), {}});
            else
                commands.last().output << line;
        }
    }
    return commands;
}

// The texts between backticks outside fenced blocks.
QStringList codeOf(const QString &page)
{
    static const QRegularExpression fences(QStringLiteral("^```.*?^```$"),
                                           QRegularExpression::MultilineOption |
                                               QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression code(QStringLiteral("`([^`]+)`"));
    QStringList result;
    const QString text = textOf(page).remove(fences);
    for (const auto &match : code.globalMatch(text))
        result << match.captured(1).simplified();
    return result;
}

// Whether one line of the answer contains the words of the quoted line in this order; "..." matches anything.
bool isIn(const QString &quoted, const QByteArray &answer)
{
    const QStringList words = quoted.simplified().split(QLatin1Char(' '));
    for (const QString &line : QString::fromUtf8(answer).split(QLatin1Char('\n'))) {
        qsizetype found = 0;
        for (const QString &word : line.simplified().split(QLatin1Char(' '))) {
            while (found < words.size() && words[found] == QStringLiteral("..."))
                ++found;
            if (found < words.size() && words[found] == word)
                ++found;
        }
        while (found < words.size() && words[found] == QStringLiteral("..."))
            ++found;
        if (found == words.size())
            return true;
    }
    return false;
}

} // namespace

class TestReadme : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void commands_ofThePages_areKnown();
    void commands_ofTheCommandLine_runAsQuoted_data();
    void commands_ofTheCommandLine_runAsQuoted();
    void figures_ofTheReadme_areWhatTheirCommandsPrint_data();
    void figures_ofTheReadme_areWhatTheirCommandsPrint();
    void figures_withoutACommand_areNotThere();
    void code_ofThePages_namesWhatThereIs_data();
    void code_ofThePages_namesWhatThereIs();
    void links_ofThePages_leadSomewhere();

private:
    [[nodiscard]] Answer run(const QString &line) const
    {
        QStringList words = QProcess::splitCommand(line);
        words.removeFirst();
        return cli(words, m_folder.path(), {"XDG_DATA_HOME=" + m_folder.filePath("data")});
    }

    static void addPages()
    {
        QTest::addColumn<QString>("page");
        for (const QString &page : kPages)
            QTest::newRow(qPrintable(page)) << page;
    }

    // The commands of the pages run here, in order.
    QTemporaryDir m_folder;
};

// "model.onnx", "x.npy", "mine.stagecraft", profiles and measured kernels stand for the reader's own files.
void TestReadme::initTestCase()
{
    QCOMPARE(run(QStringLiteral("stagecraft-cli convert sample -o model.onnx")).status, 0);
    write(m_folder.filePath(QStringLiteral("mine.stagecraft")), QByteArray::fromStdString(toJson(shelfOfSqueezenet())));
    const Shape shape{{1, 375, 15, 15}}; // of the sample network
    const HostTensor input{"input", shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), 0.5F)};
    QVERIFY(writeNpy(m_folder.filePath(QStringLiteral("x.npy")).toStdString(), input));
    write(m_folder.filePath(QStringLiteral("trace.json.gz")), pytorchTrace({pytorchKernel("conv1", "1", "2.5")}));
    for (const auto &[file, firstUs] : {std::pair("main.trace.json", 100), std::pair("branch.trace.json", 101)}) {
        std::vector<QByteArray> events; // ten runs
        for (int run = 0; run < 10; ++run) {
            const int beginUs = run * 1000;
            events.push_back(pytorchSpan("user_annotation", "ProfilerStep#" + QByteArray::number(run), beginUs, 900));
            events.push_back(
                pytorchKernel("conv1", QByteArray::number(beginUs), QByteArray::number(firstUs + run * 7 % 10)));
        }
        write(m_folder.filePath(QLatin1String(file)), pytorchTrace(events));
    }
    write(m_folder.filePath(QStringLiteral("staged.profile.json")),
          R"([{"count": 2}, {"name": "conv1", "timeMs": 2, "averageMs": 1, "medianMs": 1, "percentage": 100}])");
    write(m_folder.filePath(QStringLiteral("staged.layers.json")),
          R"({"Layers": [{"Name": "conv1", "LayerType": "CaskConvolution", "Outputs": []}], "Bindings": []})");
    write(m_folder.filePath(QStringLiteral("staged.times.json")), R"([{"computeMs": 1.5}, {"computeMs": 1.25}])");
    QByteArray kernels(
        "kind,n_or_m,c_or_n,h_or_k,w,k,kh,kw,pad_h,pad_w,stride_h,stride_w,trans_a,trans_b,time_us,algorithm\n");
    for (const int rows : {16, 64, 256, 1024, 4096}) {
        for (const int inner : {512, 2048})
            kernels += QByteArray("gemm,1536,%1,%2,,,,,,,,,N,N,%3,\n")
                           .replace("%1", QByteArray::number(rows))
                           .replace("%2", QByteArray::number(inner))
                           .replace("%3", QByteArray::number(10 + rows * inner / 4000));
    }
    write(m_folder.filePath(QStringLiteral("kernels.csv")), kernels);
}

void TestReadme::commands_ofThePages_areKnown()
{
    const QJsonObject presets = QJsonDocument::fromJson(textOf(QStringLiteral("CMakePresets.json")).toUtf8()).object();
    const auto hasPreset = [&](const char *kind, const QString &name) {
        const QJsonArray all = presets[QLatin1String(kind)].toArray();
        return std::any_of(all.begin(), all.end(), [&](const auto &each) { return each.toObject()["name"] == name; });
    };
    int known = 0;
    for (const QString &page : kPages) {
        for (const Command &command : commandsOf(page)) {
            for (const QString &part : command.line.split(QStringLiteral(" && "))) {
                const QStringList words = QProcess::splitCommand(part);
                const qsizetype preset = words.indexOf(QStringLiteral("--preset")) + 1;
                const QString program = words[0].section(QLatin1Char('/'), -1);
                bool right = false;
                if (words[0] == QStringLiteral("stagecraft-cli"))
                    right = true; // runs below
                else if (words[0] == QStringLiteral("cmake") || words[0] == QStringLiteral("ctest"))
                    right = preset > 0 && hasPreset(words[0] == QStringLiteral("ctest")         ? "testPresets"
                                                    : words.contains(QStringLiteral("--build")) ? "buildPresets"
                                                                                                : "configurePresets",
                                                    words[preset]);
                else if (words[0].startsWith(QStringLiteral("build/dev/bin/")))
                    right = QDir(sourcePath("tests/bench/" + program)).exists();
                else if (part.startsWith(QStringLiteral("sudo apt install ./build/release/packages/")))
                    right = QFile::exists(sourcePath("packaging/package.sh")); // which makes them
                else if (program == QStringLiteral("on_device.sh"))
                    right = QFile::exists(sourcePath("tests/gpu/" + program));
                else
                    right = QFileInfo(sourcePath(words[0])).isExecutable();
                QVERIFY2(right, qPrintable(page + ": " + part));
                ++known;
            }
        }
    }
    QVERIFY(known > 20); // the blocks were found
}

void TestReadme::commands_ofTheCommandLine_runAsQuoted_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("output");
    for (const QString &page : kPages + QStringList(kHelp)) {
        for (const Command &command : commandsOf(page)) {
            if (command.line.startsWith(QStringLiteral("stagecraft-cli ")))
                QTest::addRow("%s", qPrintable(command.line)) << command.line << command.output;
        }
    }
}

void TestReadme::commands_ofTheCommandLine_runAsQuoted()
{
    QFETCH(QString, line);
    QFETCH(const QStringList, output);
    if (line.startsWith(QStringLiteral("stagecraft-cli reproduce")))
        line += QStringLiteral(" --help"); // takes half a minute, and is done by tst_reproduce
    const Answer answer = run(line);
    QVERIFY2(answer.status == 0, answer.err.constData());
    for (const QString &quoted : output)
        QVERIFY2(
            isIn(quoted, answer.out + "\n" + answer.err),
            qPrintable("\"" + quoted + "\" is not what it prints:\n" + QString::fromUtf8(answer.out + answer.err)));
}

void TestReadme::figures_ofTheReadme_areWhatTheirCommandsPrint_data()
{
    QTest::addColumn<QString>("figure");
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("path");
    static const QRegularExpression figures(QStringLiteral("([0-9][0-9.,]*)<!-- (.*?) \\| (.*?) -->"));
    for (const auto &match : figures.globalMatch(textOf(QStringLiteral("README.md"))))
        QTest::addRow("%s", qPrintable(match.captured(1)))
            << match.captured(1) << match.captured(2) << match.captured(3);
}

void TestReadme::figures_ofTheReadme_areWhatTheirCommandsPrint()
{
    QFETCH(QString, figure);
    QFETCH(const QString, command);
    QFETCH(const QString, path);
    const Answer answer = run("stagecraft-cli " + command + " --json");
    QVERIFY2(answer.status == 0, answer.err.constData());
    QJsonValue value = answer.json();
    for (const QString &key : path.split(QLatin1Char('.')))
        value = value[key];
    QVERIFY2(value.isDouble(), qPrintable(path));
    const auto decimals = static_cast<int>(figure.section(QLatin1Char('.'), 1).size());
    QCOMPARE(figure.remove(QLatin1Char(',')), QString::number(value.toDouble(), 'f', decimals));
}

// Names contain numbers as well ("Debian 12", "Inception V3"), as do option values and exit statuses.
void TestReadme::figures_withoutACommand_areNotThere()
{
    QString text = textOf(QStringLiteral("README.md"));
    static const QList<QRegularExpression> notFigures{
        QRegularExpression(QStringLiteral("^```.*?^```$"),
                           QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption),
        QRegularExpression(QStringLiteral("`[^`]*`")),
        QRegularExpression(QStringLiteral("[0-9][0-9.,]*<!--.*?-->")),
        QRegularExpression(QStringLiteral("\\]\\([^)]*\\)")),
        QRegularExpression(QStringLiteral("(Debian|Inception|MLSys|Apache License|version)\\s+V?[0-9.]+")),
        QRegularExpression(QStringLiteral("\\b(V100|K80|F1|x86-64)\\b")),
        QRegularExpression(QStringLiteral("The exit status is[^.]*\\.")),
    };
    for (const QRegularExpression &each : notFigures)
        text.remove(each);
    static const QRegularExpression figure(QStringLiteral("[^\\n]*[0-9][^\\n]*"));
    const auto left = figure.match(text);
    QVERIFY2(!left.hasMatch(), qPrintable("a figure without a command that prints it: " + left.captured()));
}

void TestReadme::code_ofThePages_namesWhatThereIs_data()
{
    addPages();
}

void TestReadme::code_ofThePages_namesWhatThereIs()
{
    QFETCH(const QString, page);
    static const QRegularExpression file(
        QStringLiteral("^(app|core|gpu|widgets|resources|packaging|tests)/[\\w./]*$|^[A-Z]\\w+\\.(md|txt|json)$"));
    static const QRegularExpression variable(QStringLiteral("\\bSTAGECRAFT_[A-Z_]+"));
    QByteArray sources;
    for (const char *folder : {"app", "core", "gpu"}) {
        QDirIterator files(sourcePath(QLatin1String(folder)), {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile source(files.next());
            QVERIFY(source.open(QIODevice::ReadOnly));
            sources += source.readAll();
        }
    }
    for (const QString &code : codeOf(page)) {
        if (file.match(code).hasMatch())
            QVERIFY2(QFile::exists(sourcePath(code)), qPrintable(code));
        for (const auto &match : variable.globalMatch(code))
            QVERIFY2(sources.contains("\"" + match.captured().toUtf8() + "\""), qPrintable(match.captured()));
        if (!code.startsWith(QStringLiteral("stagecraft-cli ")))
            continue;
        // A whole command: its subcommand and options exist.
        const QStringList words = QProcess::splitCommand(code);
        if (words[1].startsWith(QLatin1Char('-')))
            continue;
        const Answer help = run("stagecraft-cli " + words[1] + " --help");
        QVERIFY2(help.status == 0, qPrintable(code));
        for (const QString &word : words) {
            if (word.startsWith(QStringLiteral("--")))
                QVERIFY2(help.out.contains(word.toUtf8()), qPrintable(code));
        }
    }
    // Options on their own belong to some command.
    QByteArray helps;
    for (const char *command :
         {"optimize", "compare", "measure", "run", "info", "devices", "latencies", "export", "co-run"})
        helps += run(QStringLiteral("stagecraft-cli %1 --help").arg(QLatin1String(command))).out;
    if (page == kPages[0]) {
        for (const QString &code : codeOf(page)) {
            if (code.startsWith(QStringLiteral("--")) && code != QStringLiteral("--json"))
                QVERIFY2(helps.contains(code.section(QLatin1Char(' '), 0, 0).toUtf8()), qPrintable(code));
        }
    }
}

void TestReadme::links_ofThePages_leadSomewhere()
{
    static const QRegularExpression link(QStringLiteral("\\]\\(([^)]+)\\)"));
    for (const QString &page : kPages) {
        for (const auto &match : link.globalMatch(textOf(page))) {
            const QString target = match.captured(1);
            if (target.startsWith(QStringLiteral("https://")))
                continue;
            QVERIFY2(QFile::exists(sourcePath(target)) ||
                         QFile::exists(QFileInfo(sourcePath(page)).path() + "/" + target),
                     qPrintable(page + ": " + target));
        }
    }
}

STAGECRAFT_SUITE(TestReadme)

} // namespace tst_readme
#include "tst_readme.moc"
