#include "plan/view.h"
#include "support/suite.h"

#include "plan_execution.h"

#include <QTest>

#include <set>

using namespace stagecraft::plan;
using stagecraft::kTensorLayouts;
using stagecraft::test::forEachElement;

namespace tst_view {

namespace {

std::vector<std::int64_t> addressesOf(const View &view)
{
    std::vector<std::int64_t> addresses;
    forEachElement(view, [&](std::int64_t address) { addresses.push_back(address); });
    return addresses;
}

} // namespace

class TestView : public QObject {
    Q_OBJECT

private slots:
    void denseView_ofEveryLayout_holdsEachElementOnce();
    void channelsOf_ofEveryLayout_areThoseOfTheWhole();
    void channelsOf_denseOnes_equalATensorOfTheirOwn();
    void denseStrides_ofOtherRanks_areRowMajor();
    void broadcast_axesOfSizeOne_areRepeated();
};

void TestView::denseView_ofEveryLayout_holdsEachElementOnce()
{
    for (const TensorLayout layout : kTensorLayouts) {
        for (const Extent &dims : {Extent{2, 19, 3, 5}, Extent{1, 16, 1, 1}, Extent{3, 1, 2, 2}}) {
            const View view = denseView(4, dims, layout);
            QVERIFY(isDense(view, layout));
            const auto addresses = addressesOf(view);
            QCOMPARE(static_cast<std::int64_t>(addresses.size()), elementsOf(dims));
            QCOMPARE(std::set(addresses.begin(), addresses.end()).size(), addresses.size());
            QVERIFY(*std::ranges::max_element(addresses) < storedElements(dims, layout));
            QCOMPARE(view.span(), storedElements(dims, layout));
        }
    }
}

void TestView::channelsOf_ofEveryLayout_areThoseOfTheWhole()
{
    const Extent dims{2, 48, 2, 3};
    for (const TensorLayout layout : kTensorLayouts) {
        const View whole = denseView(0, dims, layout);
        const auto all = addressesOf(whole);
        const auto part = addressesOf(channelsOf(whole, layout, 16, 16));
        std::size_t next = 0;
        for (std::int64_t image = 0; image < 2; ++image) {
            for (std::int64_t channel = 16; channel < 32; ++channel) {
                for (std::int64_t pixel = 0; pixel < 6; ++pixel)
                    QCOMPARE(part[next++], all[static_cast<std::size_t>((image * 48 + channel) * 6 + pixel)]);
            }
        }
    }
}

void TestView::channelsOf_denseOnes_equalATensorOfTheirOwn()
{
    for (const TensorLayout layout : kTensorLayouts) {
        for (const std::int64_t batch : {1, 2}) {
            const View part = channelsOf(denseView(0, {batch, 48, 2, 3}, layout), layout, 16, 16);
            View own = denseView(0, {batch, 16, 2, 3}, layout);
            own.offset = part.offset;
            const bool isAlone = batch == 1 && layout != TensorLayout::ChannelsLast;
            QCOMPARE(part == own, isAlone);
            QCOMPARE(isDense(part, layout), isAlone);
        }
    }
}

void TestView::denseStrides_ofOtherRanks_areRowMajor()
{
    for (const TensorLayout layout : kTensorLayouts) {
        QVERIFY(denseStrides({3, 20}, layout) == (Extent{20, 1}));
        QVERIFY(denseView(0, {3, 20, 4}, layout) == denseView(0, {3, 20, 4}, TensorLayout::RowMajor));
        QVERIFY(denseStrides({}, layout).empty());
        QCOMPARE(storedElements({}, layout), std::int64_t{1});
    }
}

void TestView::broadcast_axesOfSizeOne_areRepeated()
{
    const View wide = broadcast(denseView(0, {3, 1}, TensorLayout::RowMajor), {2, 3, 4});
    QVERIFY(wide.dims == (Extent{2, 3, 4}));
    QVERIFY(wide.strides == (Extent{0, 1, 0}));
}

STAGECRAFT_SUITE(TestView)

} // namespace tst_view
#include "tst_view.moc"
