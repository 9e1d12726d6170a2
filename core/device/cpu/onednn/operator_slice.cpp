#include "device/cpu/onednn/operator_slice.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::cpu {
namespace {

using plan::View;

constexpr std::size_t kRowAxis = 2;

struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

// `extent` in up to `count` ranges of whole `step`s.
std::vector<Range> divided(std::int64_t extent, std::int64_t step, std::int64_t count)
{
    const std::int64_t steps = (extent + step - 1) / step;
    const std::int64_t parts = std::min(count, steps);
    std::vector<Range> ranges;
    for (std::int64_t part = 0, first = 0; part < parts; ++part) {
        const std::int64_t end = std::min(extent, (steps * (part + 1) / parts) * step);
        ranges.push_back({first, end - first});
        first = end;
    }
    return ranges;
}

bool isOneImage(const View &view)
{
    return view.dims.size() == 4 && view.dims[0] == 1;
}

std::optional<View> imagesOf(const View &whole, Range images)
{
    return plan::sliced(whole, 0, images.first, images.count);
}

// Rows that lie as a tensor of their own would, or as channels of a larger one whose channels are last.
std::optional<View> rowsOf(const View &whole, Range rows)
{
    const bool isOneBlock = isOneImage(whole) && whole.dims[plan::kChannelAxis] <= whole.block;
    const bool areChannelsLast = isOneImage(whole) && whole.block == 1 && whole.strides[plan::kChannelAxis] == 1;
    if (!isOneBlock && !areChannelsLast)
        return std::nullopt;
    View view = plan::sliced(whole, kRowAxis, rows.first, rows.count);
    view.strides[0] = rows.count * view.strides[kRowAxis];
    if (view.strides[plan::kChannelAxis] != 1)
        view.strides[plan::kChannelAxis] = rows.count * view.strides[kRowAxis];
    return view;
}

// Channels that lie as a tensor of their own would.
std::optional<View> channelsOf(const View &whole, Range channels)
{
    const bool areApart = isOneImage(whole) && whole.strides[plan::kChannelAxis] != 1;
    if (!areApart || channels.first % whole.block != 0)
        return std::nullopt;
    View view = plan::sliced(whole, plan::kChannelAxis, channels.first, channels.count);
    const std::int64_t blocks = (channels.count + whole.block - 1) / whole.block;
    view.strides[0] = blocks * view.strides[plan::kChannelAxis];
    return view;
}

// The rows that a window reads for some rows of the result, and the window over them alone.
struct WindowRows {
    Range rows;
    Window window;
};

std::optional<WindowRows> rowsRead(const Window &window, std::int64_t height, Range made)
{
    const std::int64_t reach = window.dilation[0] * (window.kernel[0] - 1) + 1;
    const std::int64_t begin = made.first * window.stride[0] - window.padding[0];
    const std::int64_t end = begin + (made.count - 1) * window.stride[0] + reach;
    const std::int64_t first = std::max<std::int64_t>(begin, 0);
    const std::int64_t last = std::min(end, height);
    if (last <= first)
        return std::nullopt;
    WindowRows read{{first, last - first}, window};
    read.window.padding[0] = first - begin;
    read.window.padding[2] = end >= height ? window.padding[2] : 0;
    return read;
}

// How the output of a task depends on what it reads.
struct Reading {
    Window window;
    std::int64_t groups = 1;          // of channels, that read only their own
    bool hasRows = true;              // false: every row reads all
    bool hasConstants = false;        // one for each channel
    ConvAttributes *conv = nullptr;   // of the operator that is sliced
    PoolAttributes *pool = nullptr;   // likewise
    SepConvAttributes *sep = nullptr; // likewise
};

bool hasOwnSlopes(const Activation &activation)
{
    return activation.kind == ActivationKind::PRelu || activation.kind == ActivationKind::Other;
}

// Empty: the operator is not cut.
std::optional<Reading> readingOf(Operator &op, const plan::Task &task, OperatorPart part)
{
    const std::int64_t channels = task.output().dims.size() > plan::kChannelAxis ? task.output().dims[1] : 1;
    if (task.kind == plan::Task::Kind::Join)
        return hasOwnSlopes(task.activation) ? std::nullopt : std::optional(Reading{{}, channels});
    if (task.kind != plan::Task::Kind::Run)
        return std::nullopt;
    if (ConvAttributes *conv = op.conv(); conv && !hasOwnSlopes(conv->after))
        return Reading{conv->window, conv->groups, true, true, conv};
    if (auto *sep = std::get_if<SepConvAttributes>(&op.attributes);
        sep && !hasOwnSlopes(sep->between) && !hasOwnSlopes(sep->after) && part != OperatorPart::All) {
        return part == OperatorPart::Depthwise ? Reading{sep->window, task.input().dims[1], true, true, {}, {}, sep}
                                               : Reading{{}, 1, true, true};
    }
    if (auto *pool = std::get_if<PoolAttributes>(&op.attributes))
        return Reading{pool->window, channels, !pool->global, false, {}, pool};
    if (const Activation *activation = op.activation(); activation && !hasOwnSlopes(*activation))
        return Reading{{}, channels};
    if (op.kind == OperatorKind::BatchNorm)
        return Reading{{}, channels, true, true};
    return std::nullopt;
}

class Slicer {
public:
    Slicer(const Operator &op, const plan::Task &task, OperatorPart part, const std::optional<View> &between)
        : m_op(op), m_task(task), m_part(part), m_between(between)
    {
    }

    TaskSlices sliced(std::int64_t count)
    {
        Operator op = m_op;
        const auto reading = readingOf(op, m_task, m_part);
        if (!reading || m_task.reads.empty() || m_task.writes.size() != 1 || from().dims.size() != 4 ||
            to().dims.size() != 4)
            return {};
        if (to().dims[0] > 1)
            return all(SliceAxis::Images, divided(to().dims[0], 1, count));
        if (reading->hasRows) {
            TaskSlices rows = all(SliceAxis::Rows, divided(to().dims[kRowAxis], 1, count));
            if (!rows.slices.empty())
                return rows;
        }
        // Parts of a joined tensor lie in channels of their own.
        if (from().dims[plan::kChannelAxis] % reading->groups != 0)
            return {};
        return all(SliceAxis::Channels, divided(to().dims[plan::kChannelAxis], channelStep(*reading), count));
    }

private:
    [[nodiscard]] const View &from() const { return m_part == OperatorPart::Pointwise ? *m_between : m_task.input(); }
    [[nodiscard]] const View &to() const { return m_part == OperatorPart::Depthwise ? *m_between : m_task.output(); }

    // Whole blocks of what is written and read, and whole groups.
    [[nodiscard]] std::int64_t channelStep(const Reading &reading) const
    {
        const std::int64_t made = to().dims[plan::kChannelAxis] / reading.groups;
        const std::int64_t read = from().dims[plan::kChannelAxis] / reading.groups;
        if (reading.groups == 1)
            return to().block;
        const std::int64_t ofRead = std::lcm(read, from().block) / read; // groups
        return std::lcm(std::lcm(made, to().block), ofRead * made);
    }

    TaskSlices all(SliceAxis axis, const std::vector<Range> &ranges)
    {
        TaskSlices made{axis, {}};
        for (const Range &range : ranges) {
            auto slice = axis == SliceAxis::Images ? images(range)
                         : axis == SliceAxis::Rows ? rows(range)
                                                   : channels(range);
            if (!slice || ranges.size() < 2)
                return {};
            made.slices.push_back(std::move(*slice));
        }
        return made;
    }

    std::optional<TaskSlice> images(Range range)
    {
        TaskSlice slice{m_task, m_op};
        const auto ofRange = [&](const View &view) { return imagesOf(view, range); };
        return cut(slice, ofRange, ofRange) ? std::optional(std::move(slice)) : std::nullopt;
    }

    std::optional<TaskSlice> rows(Range range)
    {
        TaskSlice slice{m_task, m_op};
        const Reading reading = *readingOf(slice.op, m_task, m_part);
        const auto read = rowsRead(reading.window, from().dims[kRowAxis], range);
        if (!read)
            return std::nullopt;
        if (reading.conv)
            reading.conv->window = read->window;
        if (reading.pool)
            reading.pool->window = read->window;
        if (reading.sep)
            reading.sep->window = read->window;
        const auto cutFrom = [&](const View &view) { return rowsOf(view, read->rows); };
        const auto cutTo = [&](const View &view) { return rowsOf(view, range); };
        return cut(slice, cutFrom, cutTo) ? std::optional(std::move(slice)) : std::nullopt;
    }

    std::optional<TaskSlice> channels(Range range)
    {
        TaskSlice slice{m_task, m_op};
        const Reading reading = *readingOf(slice.op, m_task, m_part);
        const std::int64_t made = to().dims[plan::kChannelAxis] / reading.groups;
        const std::int64_t read = from().dims[plan::kChannelAxis] / reading.groups;
        if (reading.conv) {
            reading.conv->outChannels = range.count;
            reading.conv->groups = reading.groups == 1 ? 1 : range.count / made;
        }
        if (reading.hasConstants)
            slice.channels = ChannelRange{range.first, range.count};
        const auto cutFrom = [&](const View &view) {
            return reading.groups == 1 ? std::optional(view)
                                       : channelsOf(view, {range.first / made * read, range.count / made * read});
        };
        const auto cutTo = [&](const View &view) { return channelsOf(view, range); };
        return cut(slice, cutFrom, cutTo) ? std::optional(std::move(slice)) : std::nullopt;
    }

    template <typename From, typename To>
    bool cut(TaskSlice &slice, const From &cutFrom, const To &cutTo) const
    {
        const auto apply = [](View &view, const auto &how) {
            std::optional<View> part = how(view);
            if (part)
                view = std::move(*part);
            return part.has_value();
        };
        slice.between = m_between;
        if (m_part == OperatorPart::Depthwise)
            return apply(slice.task.reads.front().summands.front(), cutFrom) && apply(*slice.between, cutTo);
        if (m_part == OperatorPart::Pointwise)
            return apply(*slice.between, cutFrom) && apply(slice.task.writes.front(), cutTo);
        return std::ranges::all_of(slice.task.reads,
                                   [&](plan::Part &part) {
                                       return std::ranges::all_of(part.summands,
                                                                  [&](View &view) { return apply(view, cutFrom); });
                                   }) &&
               apply(slice.task.writes.front(), cutTo);
    }

    const Operator &m_op;
    const plan::Task &m_task;
    OperatorPart m_part;
    const std::optional<View> &m_between;
};

} // namespace

TaskSlices slicesOf(const Operator &op, const plan::Task &task, OperatorPart part, const std::optional<View> &between,
                    std::int64_t count)
{
    return Slicer(op, task, part, between).sliced(count);
}

} // namespace stagecraft::cpu
