// Where the nodes of the graph stand: rows by longest path within a block, blocks one below the other, order by
// barycentres, places by least squares. Needs no document.

const kNode = { width: 156, height: 38, gap: 18, rowGap: 30, blockGap: 34, bendWidth: 14 };

// The row of each operator, and the first row of each block.
function rowsOfOperators(operators) {
    const within = [];
    const deepest = [];
    operators.forEach((op, id) => {
        const before = op.reads.filter((from) => operators[from].block === op.block).map((from) => within[from] + 1);
        within[id] = Math.max(0, ...before);
        deepest[op.block] = Math.max(deepest[op.block] ?? 0, within[id]);
    });
    const first = [];
    let next = 0;
    for (let block = 0; block < deepest.length; ++block) {
        first[block] = next;
        next += (deepest[block] ?? -1) + 1;
    }
    return { rows: operators.map((op, id) => first[op.block] + within[id]), first, count: next };
}

// Items of a row are operators and bends: the places where edges of one operator pass the row.
function itemsByRow(operators, { rows, count }) {
    const items = operators.map((op, id) => ({ op: id, row: rows[id], width: kNode.width, up: [], down: [] }));
    const bends = new Map();
    const join = (upper, lower) => {
        if (!upper.down.includes(lower)) {
            upper.down.push(lower);
            lower.up.push(upper);
        }
    };
    const passing = (from, row) => {
        const key = `${from} ${row}`;
        if (!bends.has(key))
            bends.set(key, { op: -1, row, width: kNode.bendWidth, up: [], down: [] });
        return bends.get(key);
    };
    const edges = [];
    operators.forEach((op, to) => op.reads.forEach((from) => {
        const chain = [items[from]];
        for (let row = rows[from] + 1; row < rows[to]; ++row)
            chain.push(passing(from, row));
        chain.push(items[to]);
        for (let i = 1; i < chain.length; ++i)
            join(chain[i - 1], chain[i]);
        edges.push({ from, to, chain });
    }));
    const byRow = Array.from({ length: count }, () => []);
    [...items, ...bends.values()].forEach((item) => byRow[item.row].push(item));
    return { items, byRow, edges };
}

// Of a value of the neighbours on these sides; `otherwise` without neighbours.
function meanOfNear(item, sides, value, otherwise) {
    let sum = 0;
    let count = 0;
    for (const side of sides) {
        for (const other of item[side])
            sum += other[value];
        count += item[side].length;
    }
    return count > 0 ? sum / count : otherwise;
}

function orderRow(row, side) {
    row.forEach((item) => { item.wish = meanOfNear(item, [side], 'place', item.place); });
    row.sort((a, b) => a.wish - b.wish || a.place - b.place);
    numberRow(row);
}

// In parts of the row's length, so that rows of different lengths compare.
function numberRow(row) {
    row.forEach((item, i) => { item.place = (i + 0.5) / row.length; });
}

function orderRows(byRow) {
    byRow.forEach(numberRow);
    for (let sweep = 0; sweep < 6; ++sweep) {
        byRow.forEach((row) => orderRow(row, 'up'));
        [...byRow].reverse().forEach((row) => orderRow(row, 'down'));
    }
}

// Places nearest to the wishes, in least squares, that keep the order and the distances: neighbours that would be too
// close move as one.
function placeRow(row) {
    const groups = [];
    let offset = 0;
    row.forEach((item, i) => {
        if (i > 0)
            offset += (row[i - 1].width + item.width) / 2 + kNode.gap;
        item.offset = offset;
        groups.push({ sum: item.wish - offset, items: [item] });
        while (groups.length > 1 && at(groups[groups.length - 2]) >= at(groups[groups.length - 1])) {
            const last = groups.pop();
            const before = groups[groups.length - 1];
            before.sum += last.sum;
            before.items.push(...last.items);
        }
    });
    function at(group) {
        return group.sum / group.items.length;
    }
    groups.forEach((group) => group.items.forEach((item) => { item.x = at(group) + item.offset; }));
}

function placeRows(byRow) {
    byRow.forEach((row) => {
        row.forEach((item) => { item.wish = 0; });
        placeRow(row);
    });
    const settle = (row, sides) => {
        row.forEach((item) => { item.wish = meanOfNear(item, sides, 'x', item.x); });
        placeRow(row);
    };
    for (let sweep = 0; sweep < 8; ++sweep) {
        byRow.forEach((row) => settle(row, ['up']));
        [...byRow].reverse().forEach((row) => settle(row, ['down']));
    }
    byRow.forEach((row) => settle(row, ['up', 'down']));
}

// The top of each row; blocks have room for their title.
function rowTops({ first, count }) {
    const begins = new Set(first);
    const tops = [];
    let y = 0;
    for (let row = 0; row < count; ++row) {
        y += begins.has(row) ? kNode.blockGap : kNode.rowGap;
        tops.push(y);
        y += kNode.height;
    }
    return tops;
}

// Through the middle of each item: straight down where it passes a row, bent between rows.
function edgePoints(chain, tops) {
    return chain.map((item) => ({ x: item.x, top: tops[item.row], bottom: tops[item.row] + kNode.height }));
}

function framesOf(operators, nodes) {
    const frames = [];
    operators.forEach((op, id) => {
        const { x, y } = nodes[id];
        const frame = frames[op.block] ??= { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        frame.left = Math.min(frame.left, x - 10);
        frame.right = Math.max(frame.right, x + kNode.width + 10);
        frame.top = Math.min(frame.top, y - 22);
        frame.bottom = Math.max(frame.bottom, y + kNode.height + 8);
    });
    return frames;
}

// { nodes: [{x, y}] (upper left corners), edges: [{from, to, points}], frames: by block, width, height }.
function layoutGraph(operators) {
    const rows = rowsOfOperators(operators);
    const { items, byRow, edges } = itemsByRow(operators, rows);
    orderRows(byRow);
    placeRows(byRow);
    const all = byRow.flat();
    const left = all.reduce((least, item) => Math.min(least, item.x - item.width / 2), Infinity) - 20;
    all.forEach((item) => { item.x -= left; });
    const tops = rowTops(rows);
    const nodes = items.map((item) => ({ x: item.x - kNode.width / 2, y: tops[item.row] }));
    return {
        nodes,
        edges: edges.map(({ from, to, chain }) => ({ from, to, points: edgePoints(chain, tops) })),
        frames: framesOf(operators, nodes),
        width: all.reduce((most, item) => Math.max(most, item.x + item.width / 2), 0) + 20,
        height: (tops[tops.length - 1] ?? 0) + kNode.height + 20,
    };
}

// The curve of an edge as the path of an SVG.
function edgePath(points) {
    let path = `M${points[0].x.toFixed(1)},${points[0].bottom}`;
    for (let i = 1; i < points.length; ++i) {
        const [from, to] = [points[i - 1], points[i]];
        const bend = (to.top - from.bottom) / 2;
        path += `C${from.x.toFixed(1)},${from.bottom + bend} ${to.x.toFixed(1)},${to.top - bend} `
            + `${to.x.toFixed(1)},${to.top}`;
        if (i + 1 < points.length)
            path += `V${to.bottom}`;
    }
    return path;
}
