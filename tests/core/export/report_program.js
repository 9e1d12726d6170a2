// What of the page's program needs no document, run by Node.js: node report_program.js FOLDER DATA.json. Ends with
// status 0 and the number of checks, or with the first that fails.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const [folder, file] = process.argv.slice(2);
const sources = ['model.js', 'layout.js', 'viewport.js', 'state.js', 'table_view.js']
    .map((name) => fs.readFileSync(path.join(folder, name)));
const names = 'Model, State, layoutGraph, kNode, edgePath, zoomed, revealing, zoomedTime, withinTime, timeStep, '
    + 'latencyText, countText, amountText, plural, badgeOf, kernelWords, operatorRows, compareCells';
const { Model, State, layoutGraph, kNode, edgePath, zoomed, revealing, zoomedTime, withinTime, timeStep, latencyText,
    countText, amountText, plural, badgeOf, kernelWords, operatorRows, compareCells } = vm.runInThisContext(
    `'use strict';(() => {${sources.join('\n')}\nreturn { ${names} };})()`);
const data = JSON.parse(fs.readFileSync(file, 'utf8'));

const checks = {
    layout_nodesOfARow_doNotOverlap() {
        const { nodes } = layoutGraph(data.operators);
        const rows = new Map();
        nodes.forEach(({ x, y }) => rows.set(y, [...(rows.get(y) ?? []), x]));
        rows.forEach((row) => row.sort((a, b) => a - b).forEach((x, i) => assert(i === 0
            || x - row[i - 1] >= kNode.width + kNode.gap - 1e-6)));
        assert(rows.size > 10);
    },

    layout_edges_leadDownFromNodeToNode() {
        const { nodes, edges } = layoutGraph(data.operators);
        assert.strictEqual(edges.length, data.operators.reduce((sum, op) => sum + op.reads.length, 0));
        edges.forEach(({ from, to, points }) => {
            assert(nodes[from].y < nodes[to].y);
            assert(Math.abs(points[0].x - nodes[from].x - kNode.width / 2) < 1e-6);
            assert(Math.abs(points[points.length - 1].x - nodes[to].x - kNode.width / 2) < 1e-6);
            assert(points.every((point, i) => i === 0 || point.top > points[i - 1].bottom));
            assert.match(edgePath(points), /^M[-\d.]+,[-\d.]+(C[-\d. ,]+(V[-\d.]+)?)+$/);
        });
    },

    layout_bends_passBetweenTheNodesOfTheirRow() {
        const { nodes, edges } = layoutGraph(data.operators);
        edges.forEach(({ points }) => points.slice(1, -1).forEach(({ x, top }) => nodes.filter(({ y }) => y === top)
            .forEach((node) => assert(x < node.x || x > node.x + kNode.width))));
    },

    layout_blocks_areBelowEachOther() {
        const { nodes, frames, width, height } = layoutGraph(data.operators);
        nodes.forEach(({ x, y }, id) => {
            const frame = frames[data.operators[id].block];
            assert(frame.left < x && x + kNode.width < frame.right && frame.top < y && y + kNode.height < frame.bottom);
            assert(x >= 0 && x + kNode.width <= width && y + kNode.height <= height);
        });
        frames.forEach((frame, i) => assert(i === 0 || frame.top >= frames[i - 1].bottom));
    },

    layout_twice_isTheSame() {
        assert.deepStrictEqual(layoutGraph(data.operators), layoutGraph(data.operators));
    },

    model_partsOfResults_haveEveryOperatorOnce() {
        new Model(data).results.filter((result) => result.hasSchedule).forEach((result) => {
            data.operators.forEach((_, id) => assert(result.part(id).operators.includes(id)));
            assert.strictEqual(result.parts.flatMap((part) => part.operators).length, data.operators.length);
        });
    },

    model_words_nameLatencyAndProvenance() {
        const model = new Model(data);
        const result = model.results.find((each) => each.stages && each.latencyUs !== undefined);
        assert.match(result.partWords(result.parts[0]), /^Stage 1, .* us, simulated$/);
        assert.match(result.latencyWords(), /, simulated$/);
        const merged = model.results.flatMap((each) => each.parts.map((part) => [each, part]))
            .find(([each, part]) => each.isMerged(part));
        assert.match(merged[0].partWords(merged[1]), /merged into one bigger operator/);
        const shared = merged[0].kernels[merged[1].operators[1]];
        assert.match(kernelWords(shared), /us with others$/);
    },

    find_textOfNameOrType_ignoresCase() {
        const model = new Model(data);
        const [op] = data.operators;
        assert(model.find(op.name.toUpperCase()).includes(0));
        const ofType = model.find(op.type.toLowerCase());
        assert(ofType.length > 1 && ofType.every((id) => `${data.operators[id].name} ${data.operators[id].type}`
            .toLowerCase().includes(op.type.toLowerCase())));
        assert.deepStrictEqual(model.find('   '), []);
        assert.deepStrictEqual(model.find('no such operator'), []);
    },

    state_show_isOfOneToFourWithSchedules() {
        const many = { ...data, results: [...data.results, ...data.results, ...data.results,
            { name: 'typed in', whyNot: 'a latency without a schedule' }] };
        const state = new State(new Model(many));
        for (let i = 0; i < many.results.length; ++i)
            state.show(i, true);
        assert.strictEqual(state.shown.length, 4);
        assert(!state.canShow(many.results.length - 1));
        const told = [];
        state.follow((what) => told.push(what));
        [...state.shown].forEach((index) => state.show(index, false));
        assert.strictEqual(state.shown.length, 1);
        assert.strictEqual(state.focus, state.shown[0]);
        assert.deepStrictEqual(told, ['shown', 'shown', 'shown']);
    },

    state_firstShown_hasBaselineChosenAndFastest() {
        const result = (name, latencyUs) => ({ ...data.results[0], name, latencyUs });
        const model = new Model({ ...data, baseline: 'base', chosen: 3, results: [result('slow', 9), result('base', 8),
            result('fast', 1), result('mine', 5), result('other', 6)] });
        assert.deepStrictEqual(model.firstShown(), [1, 2, 3]);
    },

    state_step_goesRoundTheHits() {
        const state = new State(new Model(data));
        state.search(data.operators[0].type);
        const hits = [...state.hits];
        state.step(1);
        assert.deepStrictEqual(state.selected, [hits[0]]);
        state.step(-1);
        assert.deepStrictEqual(state.selected, [hits[hits.length - 1]]);
        state.step(1);
        assert.deepStrictEqual(state.selected, [hits[0]]);
        state.clear();
        assert.deepStrictEqual(state.selected, []);
        assert.strictEqual(state.hits.length, hits.length);
        state.clear();
        assert.deepStrictEqual(state.hits, []);
        state.step(1);
        assert.deepStrictEqual(state.selected, []);
    },

    state_move_followsEdgesAndOrder() {
        const state = new State(new Model(data));
        state.move('down');
        assert.deepStrictEqual(state.selected, [0]);
        state.move('up'); // it reads nothing
        assert.deepStrictEqual(state.selected, [0]);
        state.move('down');
        assert(data.operators[state.selected[0]].reads.includes(0));
        state.move('up');
        assert.deepStrictEqual(state.selected, [0]);
        const order = state.focused.parts.flatMap((part) => part.operators);
        state.select([order[3]]);
        state.move('right');
        assert.deepStrictEqual(state.selected, [order[4]]);
        state.move('left');
        assert.deepStrictEqual(state.selected, [order[3]]);
        state.select([order[order.length - 1]]);
        state.move('right');
        assert.deepStrictEqual(state.selected, [order[order.length - 1]]);
    },

    state_selectPart_selectsItsOperators() {
        const state = new State(new Model(data));
        const result = state.results[0];
        const part = result.parts[result.parts.length - 1];
        state.selectPart(result.index, part.index);
        assert.deepStrictEqual(state.selected, part.operators);
        assert.deepStrictEqual(state.part, { result: result.index, index: part.index });
        state.select([0]);
        assert.strictEqual(state.part, null);
    },

    zoomed_point_staysUnderThePointer() {
        const view = { scale: 0.5, x: 30, y: -70 };
        const by = zoomed(view, 1.7, 200, 90);
        assert(Math.abs((200 - view.x) / view.scale - (200 - by.x) / by.scale) < 1e-9);
        assert(Math.abs((90 - view.y) / view.scale - (90 - by.y) / by.scale) < 1e-9);
        assert.deepStrictEqual(zoomed(zoomed(view, 1e9, 5, 5), 1, 5, 5).scale, 4);
        assert.strictEqual(zoomed(view, 1e-9, 5, 5).scale, 0.05);
    },

    revealing_rectangle_comesIntoSight() {
        const view = { scale: 2, x: 0, y: 0 };
        const there = revealing(view, { x: 400, y: 300, width: 50, height: 20 }, 300, 200);
        assert(400 * 2 + there.x >= 0 && 450 * 2 + there.x <= 300);
        assert(300 * 2 + there.y >= 0 && 320 * 2 + there.y <= 200);
        assert.deepStrictEqual(revealing(there, { x: 400, y: 300, width: 50, height: 20 }, 300, 200), there);
    },

    time_zoomedAndMoved_staysWithinTheTimeline() {
        const range = zoomedTime({ from: 0, to: 1000 }, 4, 250, 1000);
        assert.deepStrictEqual(range, { from: 187.5, to: 437.5 });
        assert.deepStrictEqual(zoomedTime(range, 0.001, 250, 1000), { from: 0, to: 1000 });
        assert.deepStrictEqual(withinTime({ from: -50, to: 50 }, 1000), { from: 0, to: 100 });
        assert.deepStrictEqual(withinTime({ from: 950, to: 1050 }, 1000), { from: 900, to: 1000 });
        assert.strictEqual(timeStep({ from: 0, to: 1000 }, 7), 200);
        assert.strictEqual(timeStep({ from: 0, to: 9e6 }, 10), 1e6);
    },

    table_operatorsOutsideTheSchedule_comeLastInBothOrders() {
        const [whole] = data.results;
        const stages = whole.stages.filter((_, index) => index % 3 !== 1);
        const { columns, rows } = operatorRows(new State(new Model({ ...data, results: [{ ...whole, stages }] })));
        const column = columns.findIndex(({ text }) => text === 'A stage');
        const numbers = stages.flatMap((stage, index) => stage.groups.flat().map(() => index));
        const gaps = new Array(data.operators.length - numbers.length).fill(undefined);
        const sorted = (isDown) => rows.map(({ cells }) => cells[column])
            .sort((a, b) => compareCells(a, b, isDown)).map(({ value }) => value);
        assert(gaps.length > 1);
        assert.deepStrictEqual(sorted(false), [...numbers, ...gaps]);
        assert.deepStrictEqual(sorted(true), [...numbers.reverse(), ...gaps]);
    },

    words_ofNumbers_areThoseOfTheProgram() {
        assert.strictEqual(latencyText(412.345), '412.3 us');
        assert.strictEqual(latencyText(4030.4), '4.030 ms');
        assert.strictEqual(countText(1234567), '1,234,567');
        assert.strictEqual(amountText(203331000, 'FLOP'), '203.33 MFLOP');
        assert.strictEqual(amountText(12, 'B'), '12 B');
        assert.strictEqual(plural(1, 'operator'), '1 operator');
        assert.strictEqual(badgeOf(3), 'D');
    },
};

Object.entries(checks).forEach(([name, check]) => {
    try {
        check();
    } catch (fault) {
        console.error(`${name}: ${fault.stack}`);
        process.exit(1);
    }
});
console.log(Object.keys(checks).length);
