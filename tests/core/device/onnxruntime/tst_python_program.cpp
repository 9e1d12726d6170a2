// A Python program as a child: its answers, what it says when it fails, and stops.

#include "device/onnxruntime/python_program.h"
#include "support/graph_making.h"
#include "support/suite.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <thread>

using namespace stagecraft;
using namespace stagecraft::test;
using nlohmann::json;

namespace tst_python_program {

namespace {

using namespace std::chrono_literals;

const PythonModule kWords{"words", "def twice(text):\n    return text + text\n"};
const PythonModule kService{"service", R"(import json, sys, time
import words
def serve():
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "end":
            sys.stderr.write("Traceback\nMemoryError: too much\n\n")
            sys.exit(3)
        if asked["do"] == "last":
            print("{}", flush=True)
            sys.exit(5)
        if asked["do"] == "sleep":
            time.sleep(600)
        if asked["do"] == "fail":
            print(json.dumps({"error": "no such node"}), flush=True)
        elif asked["do"] == "noise":
            print("hello", flush=True)
        else:
            print(json.dumps({"text": words.twice(asked["text"])}), flush=True)
)"};

} // namespace

class TestPythonProgram : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable("python3").isEmpty())
            QSKIP("there is no python3");
    }

    void ask_answers_whateverTheLength()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(!python.isRunning());
        QVERIFY(python.start());
        const std::string text(200'000, 'x');
        for (const std::string &each : {std::string("a\n\"b\" \xc3\xa9"), text})
            QCOMPARE(take(python.ask({{"do", "twice"}, {"text", each}}, {}))["text"].get<std::string>(), each + each);
        QVERIFY(python.isRunning());
    }

    void ask_errorInItsAnswer_isAnError()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        const auto answer = python.ask({{"do", "fail"}}, {});
        QVERIFY(!answer && answer.error().code == ErrorCode::DeviceFailed);
        QVERIFY(answer.error().message.ends_with("no such node"));
        QVERIFY(python.isRunning()); // and goes on
        QVERIFY(!python.ask({{"do", "noise"}}, {}));
        QVERIFY(!python.isRunning()); // what came next would be the answer to that
    }

    void ask_ended_saysHowAndWhatItSaidLast_andStartsAgain()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        const auto answer = python.ask({{"do", "end"}}, {});
        QVERIFY(!answer && answer.error().code == ErrorCode::DeviceFailed);
        QCOMPARE(answer.error().message, std::string("python3 ended with status 3: MemoryError: too much"));
        QVERIFY(!python.isRunning());
        QVERIFY(!python.ask({{"do", "twice"}, {"text", "b"}}, {})); // not without being started
        QVERIFY(python.start());
        QVERIFY(python.ask({{"do", "twice"}, {"text", "b"}}, {}));
    }

    void ask_endedAfterItsLastAnswer_saysSo()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        QVERIFY(python.ask({{"do", "last"}}, {}));
        const auto answer = python.ask({{"do", "twice"}, {"text", "b"}}, {});
        QVERIFY(!answer && answer.error().message.starts_with("python3 ended with status 5"));
    }

    void ask_pastItsLimit_isEnded()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        const auto answer = python.ask({{"do", "sleep"}}, {}, 100ms);
        QVERIFY(!answer && answer.error().message.starts_with("python3 does not answer"));
        QVERIFY(!python.isRunning());
    }

    void ask_stopped_endsIt()
    {
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        std::stop_source source;
        std::jthread stopping([&] {
            std::this_thread::sleep_for(200ms);
            source.request_stop();
        });
        const auto answer = python.ask({{"do", "sleep"}}, source.get_token());
        QVERIFY(!answer && answer.error().code == ErrorCode::Cancelled);
        QVERIFY(!python.isRunning());
    }

    void ask_aModuleInTheCurrentFolder_isNotImported()
    {
        const QTemporaryDir folder;
        for (const char *name : {"json.py", "types.py", "numpy.py"}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("import sys\nsys.exit(77)\n");
        }
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        PythonProgram python("python3", {kWords, kService}, "service.serve()");
        QVERIFY(python.start());
        const auto answer = python.ask({{"do", "twice"}, {"text", "a"}}, {});
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(answer);
    }

    void ask_noSuchPython_saysWhatToDo()
    {
        PythonProgram python("/nowhere/python3", {}, "pass");
        const auto answer = python.start();
        QVERIFY(!answer && answer.error().code == ErrorCode::DeviceFailed);
        QVERIFY(answer.error().message.starts_with("/nowhere/python3 cannot be started: "));
        QVERIFY(answer.error().remedy.find("STAGECRAFT_PYTHON") != std::string::npos);
    }

    void ask_aModuleThatFails_saysWhy()
    {
        PythonProgram python("python3", {{"broken", "import no_such_module_at_all\n"}}, "broken.serve()");
        QVERIFY(python.start());
        const auto answer = python.ask(json::object(), {});
        QVERIFY(!answer);
        QVERIFY2(answer.error().message.find("No module named 'no_such_module_at_all'") != std::string::npos,
                 answer.error().message.c_str());
    }
};

STAGECRAFT_SUITE(TestPythonProgram)

} // namespace tst_python_program
#include "tst_python_program.moc"
