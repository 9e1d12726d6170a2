// Zoom and pan: pure functions. Needs no document.

// Of a drawing: `scale`, and where its origin is. The point under (x, y) stays there.
function zoomed(view, factor, x, y, least = 0.05, most = 4) {
    const scale = Math.min(most, Math.max(least, view.scale * factor));
    const by = scale / view.scale;
    return { scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
}

function fitted(width, height, roomWidth, roomHeight) {
    const scale = Math.min(roomWidth / width, roomHeight / height, 1.5);
    return { scale, x: (roomWidth - width * scale) / 2, y: Math.max(0, (roomHeight - height * scale) / 2) };
}

// Readable, from the top.
function begun(width, height, roomWidth, roomHeight) {
    const whole = fitted(width, height, roomWidth, roomHeight);
    const scale = Math.max(whole.scale, Math.min(1, Math.max(roomWidth / width, 0.4)));
    return { scale, x: (roomWidth - width * scale) / 2, y: 0 };
}

// Moved as little as needed so that the rectangle is in sight.
function revealing(view, rect, roomWidth, roomHeight, margin = 24) {
    const shift = (from, size, offset, room) => {
        const low = from * view.scale + offset;
        const high = (from + size) * view.scale + offset;
        if (high - low > room - 2 * margin || low < margin)
            return margin - low;
        return high > room - margin ? room - margin - high : 0;
    };
    return { scale: view.scale, x: view.x + shift(rect.x, rect.width, view.x, roomWidth),
        y: view.y + shift(rect.y, rect.height, view.y, roomHeight) };
}

// Of time: `from` and `to` within [0, end]; the moment `at` stays where it is.
function zoomedTime(range, factor, at, end, least = 1) {
    const size = Math.min(end, Math.max(least, (range.to - range.from) / factor));
    const share = (at - range.from) / (range.to - range.from);
    return withinTime({ from: at - share * size, to: at + (1 - share) * size }, end);
}

function withinTime({ from, to }, end) {
    const size = Math.min(to - from, end);
    const begin = Math.min(Math.max(0, from), end - size);
    return { from: begin, to: begin + size };
}

// Round steps for about `count` marks: 1, 2 or 5 times a power of ten.
function timeStep(range, count) {
    const rough = (range.to - range.from) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find((step) => step * power >= rough) ?? 10);
}
