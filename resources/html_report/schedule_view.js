// One to four schedules side by side: stages down the page, groups as lanes, the latency as a bar on one scale for all;
// of streams, streams side by side and launch order down the page, with their events.

const kLane = { width: 118, height: 34, gap: 8, rowGap: 16, top: 26 };

class ScheduleView {
    constructor(state) {
        this.state = state;
        this.root = make('div', { class: 'panes' });
        state.follow((what) => this.follow(what));
        this.build();
    }

    build() {
        const latencies = this.state.results.flatMap((result) => result.parts.map((part) => part.latencyUs ?? 0));
        this.longestUs = Math.max(...latencies, 0);
        this.panes = this.state.results.map((result, place) => this.pane(result, place));
        this.root.replaceChildren(...this.panes.map(({ pane }) => pane));
        this.markFocus();
        this.mark();
        this.markHits();
    }

    pane(result, place) {
        const body = make('div', { class: 'schedule', role: 'listbox', tabindex: '0', 'aria-multiselectable': 'true',
            'aria-label': `${badgeOf(place)}: ${result.name}, ${result.order}` },
        ...(result.stages ? this.stages(result) : [this.streams(result)]));
        body.addEventListener('click', (event) => this.choose(result, event));
        body.addEventListener('keydown', (event) => this.press(result, event));
        const pane = make('section', { class: 'pane', 'data-result': result.index,
            focusin: () => this.state.setFocus(result.index), pointerdown: () => this.state.setFocus(result.index) },
        this.header(result, place), body);
        return { pane, body, result, ...this.marksOf(result, body) };
    }

    marksOf(result, body) {
        const boxes = new ElementsOf();
        body.querySelectorAll('[data-op]').forEach((box) => {
            box.id = `${this.state.id}-${result.index}-op-${box.dataset.op}`;
            boxes.add(Number(box.dataset.op), box);
        });
        const events = new ElementsOf();
        body.querySelectorAll('.event').forEach((event) => {
            events.add(Number(event.dataset.from), event);
            events.add(Number(event.dataset.to), event);
        });
        return { boxes, selected: new Marks('selected', (op) => boxes.of(op)),
            lit: new Marks('lit', (op) => events.of(op)), hits: new Marks('hit', (op) => boxes.of(op)) };
    }

    header(result, place) {
        const words = [result.order, result.madeByWords(), result.speedupWords(this.state.model.baseline), result.note]
            .filter(Boolean);
        return make('header', {}, make('div', {}, make('span', { class: 'badge' }, badgeOf(place)),
            make('strong', {}, result.name)),
        make('div', {}, make('span', { class: 'latency' }, result.latency),
            result.latencyUs === undefined ? null : make('span', { class: 'note' }, ` ${result.provenance ?? ''}`)),
        make('div', { class: 'note' }, words.join(' · ')));
    }

    choose(result, event) {
        const op = event.target.closest('[data-op]');
        const part = event.target.closest('[data-part]');
        if (op)
            this.state.select([Number(op.dataset.op)]);
        else if (part)
            this.state.selectPart(result.index, Number(part.dataset.part));
        else
            this.state.select([]);
    }

    // Enter goes from an operator to its whole stage or launch.
    press(result, event) {
        const part = result.part(this.state.selected[0]);
        if (event.key !== 'Enter' || hasModifier(event) || !part)
            return;
        event.preventDefault();
        this.state.selectPart(result.index, part.index);
    }

    stages(result) {
        return result.parts.flatMap((part) => {
            const block = result.stages[part.index].block;
            const isNext = part.index === 0 || block !== result.stages[part.index - 1].block;
            return [isNext ? make('div', { class: 'block' }, `Block ${block + 1}`) : null, this.stage(result, part)];
        }).filter(Boolean);
    }

    stage(result, part) {
        const isMerged = result.isMerged(part);
        const lanes = part.lanes.map((lane) => make('div', { class: 'lane' }, ...lane.map((op) => this.box(op))));
        return make('div', { class: 'stage', role: 'group', 'aria-label': result.partWords(part),
            style: stageColours(part.colour) },
        make('div', { class: 'facts', 'data-part': part.index, title: result.partWords(part) },
            make('span', { class: 'number' }, part.index + 1), this.latency(part)),
        make('div', { class: `lanes${isMerged ? ' merged' : ''}`,
            title: isMerged ? 'merged: one bigger operator, then a split' : undefined }, ...lanes));
    }

    latency(part) {
        if (part.latencyUs === undefined)
            return null;
        const share = this.longestUs > 0 ? 100 * part.latencyUs / this.longestUs : 0;
        return make('span', { class: 'time' }, latencyText(part.latencyUs),
            make('span', { class: 'length', style: `width:${share.toFixed(1)}%` }));
    }

    box(op, attributes = {}) {
        const { name, type } = this.state.model.operators[op];
        return make('div', { class: 'op', role: 'option', 'aria-selected': 'false', 'aria-label': `${name}, ${type}`,
            title: `${name}\n${type}`, 'data-op': op, ...attributes }, nameElement(name),
        make('span', { class: 'type' }, type));
    }

    streams(result) {
        const { count, launches } = result.streams;
        const rows = Math.max(0, ...launches.map((launch) => launch.row + 1));
        const width = count * (kLane.width + kLane.gap);
        const height = kLane.top + rows * (kLane.height + kLane.rowGap);
        const titles = Array.from({ length: count }, (_, stream) => make('span', { class: 'stream',
            style: `left:${stream * (kLane.width + kLane.gap)}px;width:${kLane.width}px` }, `Stream ${stream + 1}`));
        return make('div', { class: 'streams', style: `width:${width}px;height:${height}px` },
            draw('svg', { width, height, 'aria-hidden': 'true' }, ...this.events(launches)),
            make('div', { class: 'titles' }, ...titles),
            ...launches.map((launch, index) => this.launch(result, launch, index)));
    }

    launch(result, launch, index) {
        const { x, y } = launchPlace(launch);
        const part = result.parts[index];
        return make('div', { class: `launch${result.isMerged(part) ? ' merged' : ''}`, role: 'group',
            'aria-label': result.partWords(part), 'data-part': index,
            style: `left:${x}px;top:${y}px;width:${kLane.width}px;height:${kLane.height}px;`
                + stageColours(part.colour) },
        ...launch.operators.map((op) => this.box(op)));
    }

    // Arrows from the launches that are waited for.
    events(launches) {
        return launches.flatMap((launch) => launch.waits.map((before) => {
            const from = launchPlace(launches[before]);
            const to = launchPlace(launch);
            const [x1, y1] = [from.x + kLane.width / 2, from.y + kLane.height];
            const [x2, y2] = [to.x + kLane.width / 2, to.y];
            const bend = Math.min(26, Math.max(6, (y2 - y1) / 2));
            return draw('path', { class: 'event', 'data-from': launches[before].operators[0],
                'data-to': launch.operators[0],
                d: `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}m-3,-5l3,5l3,-5` });
        }));
    }

    follow(what) {
        if (what === 'shown')
            this.build();
        if (what === 'focus')
            this.markFocus();
        if (what === 'selection')
            this.mark();
        if (what === 'hits')
            this.markHits();
    }

    markFocus() {
        this.panes.forEach(({ pane, result }) => pane.classList.toggle('focused',
            this.panes.length > 1 && result.index === this.state.focus));
    }

    mark() {
        const operators = this.state.selected;
        this.panes.forEach(({ body, boxes, selected, lit }) => {
            selected.set(operators);
            lit.set(operators);
            const [first] = boxes.of(operators[0]);
            if (first) {
                body.setAttribute('aria-activedescendant', first.id);
                revealIn(body, first);
            } else {
                body.removeAttribute('aria-activedescendant');
            }
        });
    }

    markHits() {
        this.root.classList.toggle('searched', this.state.hits.length > 0);
        this.panes.forEach(({ hits }) => hits.set(this.state.hits));
    }
}

function launchPlace(launch) {
    return { x: launch.stream * (kLane.width + kLane.gap), y: kLane.top + launch.row * (kLane.height + kLane.rowGap) };
}
