// Uses the page of a report in a browser, as a person would, and leaves the number of checks and what went wrong, a
// JSON list that is empty where all is well, in an element of its own, "told".

Element.prototype.setPointerCapture = () => {}; // made events have no pointer to capture

const wrong = [];
let checks = 0;

function check(name, isSo, what = '') {
    ++checks;
    if (!isSo)
        wrong.push(`${name}: ${what}`);
}

function equal(name, is, wanted) {
    check(name, JSON.stringify(is) === JSON.stringify(wanted), `${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}

const [first, second] = [...document.querySelectorAll('.explorer')];
const all = (selector, root = first) => [...root.querySelectorAll(selector)];
const one = (selector, root = first) => root.querySelector(selector);
const click = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
const press = (element, key, more = {}) => element.dispatchEvent(new KeyboardEvent('keydown',
    { key, bubbles: true, cancelable: true, ...more }));
const data = JSON.parse(one('script').textContent);
const search = one('input[type=search]');
const type = (text) => {
    search.value = text;
    search.dispatchEvent(new Event('input'));
};
const isSelected = (name) => all('.op.selected').map((box) => box.title.split('\n')[0]).every((each) => each === name);

function usesGraph() {
    equal('nodes', all('.node').length, data.operators.length);
    equal('edges', all('path.edge').length, data.operators.reduce((sum, op) => sum + op.reads.length, 0));
    const graph = one('.graph > svg');
    const canvas = one('.graph > svg > g');
    const [picture, place] = [graph, canvas.getAttribute('transform')];
    press(graph, '+');
    check('zoom by key', canvas.getAttribute('transform') !== place);
    const box = picture.getBoundingClientRect();
    const node = one('.node rect').getBoundingClientRect();
    const under = { clientX: node.left, clientY: node.top, bubbles: true, cancelable: true };
    const isTaken = !picture.dispatchEvent(new WheelEvent('wheel', { ...under, deltaY: -120 }));
    const after = one('.node rect').getBoundingClientRect();
    check('zoom by wheel', isTaken && after.width > node.width * 1.1, `${node.width} to ${after.width}`);
    check('zoom keeps the point', Math.hypot(after.left - node.left, after.top - node.top) < 1);
    const drag = (name, x, y, buttons = 1) => picture.dispatchEvent(new PointerEvent(name,
        { clientX: box.left + x, clientY: box.top + y, button: 0, buttons, bubbles: true }));
    drag('pointerdown', 100, 100);
    drag('pointermove', 130, 145);
    drag('pointerup', 130, 145, 0);
    const moved = one('.node rect').getBoundingClientRect();
    check('pan', Math.abs(moved.left - after.left - 30) < 1 && Math.abs(moved.top - after.top - 45) < 1);
    drag('pointerdown', 1, 1);
    drag('pointermove', 200, 200, 0); // released outside
    drag('pointermove', 260, 260);
    const later = one('.node rect').getBoundingClientRect();
    check('a press released outside is over', later.left === moved.left && later.top === moved.top);
    press(graph, '0');
    const inside = all('.node').every((each) => each.getBoundingClientRect().bottom <= box.bottom + 1);
    check('whole graph', inside);
}

function selectsEverywhere() {
    const { name } = data.operators[5];
    click(all('.node')[5].querySelector('rect'));
    equal('boxes in panes', all('.op.selected').length, all('.pane').length);
    check('the same operator', isSelected(name));
    const kernels = data.results.flatMap((result) => result.timeline?.kernels ?? [])
        .filter((kernel) => kernel[5].includes(5));
    equal('kernels', all('.kernel.selected').length, kernels.length);
    check('of both timelines', kernels.length >= 2);
    equal('details', one('.details h3').textContent, name);
    check('every pane is in the details', all('.details .in-result').length === all('.pane').length);
    check('provenance', /simulated/.test(one('.details .in-result').textContent));
    equal('active node', one('.graph > svg').getAttribute('aria-activedescendant'), all('.node')[5].id);
    check('edges', all('.edge.lit').length >= 2);
    press(one('.graph > svg'), 'ArrowUp');
    check('up is what it reads', isSelected(data.operators[data.operators[5].reads[0]].name));
    click(one('.kernel rect'));
    check('a kernel selects', isSelected(data.operators[data.results[0].timeline.kernels[0][5][0]].name));
    const merged = data.results[1].stages.findIndex((stage) => stage.strategy === 'merge');
    click(all('.pane')[1].querySelectorAll('.facts')[merged]);
    equal('a stage selects its operators', all('.node.selected').length, data.results[1].stages[merged].groups.length);
    check('merged', /merged into one/.test(one('.details').textContent));
    click(one('.pane:nth-child(2) .op'));
    const order = data.results[1].stages.flatMap((stage) => stage.groups.flat());
    press(all('.schedule')[1], 'ArrowDown');
    check('down is the next in the schedule', isSelected(data.operators[order[1]].name));
    all('.schedule')[1].dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    press(all('.schedule')[1], 'Enter');
    check('Enter selects the stage', /^BMergedStage 2,/.test(one('.details').textContent), one('.details').textContent);
    press(one('.schedule'), 'Escape');
    equal('escape', all('.selected').length, 0);
}

function finds() {
    check('slash', !press(document.body, '/') && document.activeElement === search);
    check('slash is a letter in the field', press(search, '/'));
    search.blur();
    check('Ctrl+F', !press(document.body, 'f', { ctrlKey: true }) && document.activeElement === search);
    check('Ctrl+F again is the browser\'s', press(search, 'f', { ctrlKey: true }));
    type('EXPAND3X3');
    const hits = data.operators.filter((op) => op.name.includes('expand3x3')).length;
    equal('hits', [all('.node.hit').length, one('.find .note').textContent], [hits, `${hits} operators`]);
    press(search, 'Enter');
    press(search, 'Enter');
    equal('second hit', one('.find .note').textContent, `2 of ${hits}`);
    press(search, 'Enter', { shiftKey: true });
    equal('first hit', one('.find .note').textContent, `1 of ${hits}`);
    press(search, 'Escape');
    press(search, 'Escape');
    equal('escape empties the field', [search.value, all('.hit').length], ['', 0]);
}

function choosesResults() {
    const boxes = all('.tools input[type=checkbox]');
    equal('shown', boxes.map((box) => [box.checked, box.disabled]),
        [[true, false], [true, false], [true, false], [false, true]]);
    boxes[0].click();
    equal('panes', all('.pane header strong').map((title) => title.textContent), ['Merged', 'streams']);
    equal('badges', all('.pane .badge').map((badge) => badge.textContent), ['A', 'B']);
    boxes[0].click();
    equal('panes again', all('.pane').length, 3);
    equal('launches', all('.launch').length, data.results[2].streams.launches.length);
    equal('events', all('.event').length,
        data.results[2].streams.launches.reduce((sum, each) => sum + each.waits.length, 0));
    click(one('.launch')); // which waits for nothing
    const [{ operators: [op] }] = data.results[2].streams.launches;
    equal('details of a launch', one('.details').textContent,
        `CstreamsLaunch 1 on stream 11 operator${data.operators[op].name}`);
    press(one('.schedule'), 'Escape');
    check('why no timeline',
        /streams has no timeline\. None was made when it was exported: /.test(one('.missing').textContent));
    check('latency and provenance', /us simulated/.test(one('.pane header').textContent));
}

function showsTables() {
    const tabs = all('[role=tab]');
    click(tabs[1]);
    equal('tab', [tabs[1].getAttribute('aria-selected'), all('.page:not([hidden])').length], ['true', 1]);
    const table = all('.table')[0];
    equal('operators', all('tbody tr', table).length, data.operators.length);
    const names = () => all('tbody td:first-child', table).map((cell) => cell.textContent);
    click(one('th button', table));
    const sorted = [...data.operators.map((op) => op.name)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    equal('sorted', names(), sorted);
    click(one('th button', table));
    equal('and back', names(), sorted.reverse());
    click(all('tbody tr', table)[0]);
    check('a row selects', isSelected(sorted[0]));
    press(table, 'ArrowDown');
    check('down is the next row', isSelected(sorted[1]));
    click(tabs[2]);
    check('rows of its stages', all('tr.selected', all('.table')[1]).length === all('.pane').length);
    equal('stages', all('tbody tr', all('.table')[1]).length,
        data.results.slice(0, 3).reduce((sum, result) => sum + (result.stages ?? result.streams.launches).length, 0));
    sortsWithGaps(all('.table')[1], 5);
    sortsWithGaps(all('.table')[1], 6);
    press(tabs[2], 'ArrowRight');
    equal('back to the timeline', tabs[0].getAttribute('aria-selected'), 'true');
}

// What is known comes first in both orders.
function sortsWithGaps(table, column) {
    const orders = ['ascending', 'descending'].map((order) => {
        click(all('th button', table)[column]);
        const heading = all('th', table)[column];
        equal('order', heading.getAttribute('aria-sort'), order);
        const texts = all('tbody tr', table).map((row) => row.cells[column].textContent);
        const known = texts.filter((text) => text !== '');
        check(`gaps of ${heading.textContent}`, known.length > 1 && known.length < texts.length);
        equal(`known first in ${heading.textContent}`, texts.slice(0, known.length), known);
        return known;
    });
    equal('the other way round', orders[1], orders[0].reverse());
}

function changesTheme() {
    const colour = () => getComputedStyle(document.body).backgroundColor;
    const before = colour();
    click(document.querySelector('button.theme'));
    check('theme', colour() !== before, colour());
    click(document.querySelector('button.theme'));
    equal('theme and back', colour(), before);
}

// Names are text, whatever they hold.
function showsHostileNames() {
    const names = JSON.parse(one('script', second).textContent).operators.map((op) => op.name);
    const titles = all('.node title', second).map((title) => title.textContent.split('\n')[0]);
    equal('names', titles, names);
    check('markup', names.some((name) => name.includes('<\/script>')) && all('b, img', second).length === 0);
    equal('title', document.title, '<\/title>: schedules');
    click(all('.node', second)[1].querySelector('rect'));
    equal('details', one('.details h3', second).textContent, names[1]);
    equal('sections are apart', all('.selected').length > 0 && isSelected(names[1]), false);
}

async function useThePage() {
    for (const step of [usesGraph, selectsEverywhere, finds, choosesResults, showsTables, changesTheme,
        showsHostileNames]) {
        try {
            step();
        } catch (fault) {
            wrong.push(`${step.name}: ${fault.stack}`);
        }
        await new Promise((done) => { setTimeout(done, 10); }); // the click that ends a drag is over
    }
    const told = document.createElement('pre');
    told.id = 'told';
    told.textContent = `${checks} ${JSON.stringify(wrong)}`;
    document.body.append(told);
}

useThePage();
