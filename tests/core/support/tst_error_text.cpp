#include "support/error_text.h"
#include "support/suite.h"

#include <QtTest>

using namespace stagecraft;

namespace tst_error_text {

class TestErrorText : public QObject {
    Q_OBJECT

private slots:
    void errorText_full_namesPlaceReasonAndRemedy();
    void errorText_bare_isOneSentence();
};

void TestErrorText::errorText_full_namesPlaceReasonAndRemedy()
{
    const Error error{ErrorCode::InvalidInput,
                      "its input has 3 channels, its weights are for 4",
                      "export the model again",
                      {"net.onnx", "operator conv1"}};
    QCOMPARE(errorText(error), std::string("net.onnx: operator conv1: its input has 3 channels, its weights are for 4. "
                                           "Export the model again."));
}

void TestErrorText::errorText_bare_isOneSentence()
{
    QCOMPARE(errorText({ErrorCode::WrongUse, "r must not be 0.", {}, {}}), std::string("r must not be 0."));
}

STAGECRAFT_SUITE(TestErrorText)

} // namespace tst_error_text
#include "tst_error_text.moc"
