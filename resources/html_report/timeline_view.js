// When each kernel ran, a row for each stream or thread, all results on one axis; below the rows what a counter says.

const kTime = { left: 96, row: 22, counter: 44, axis: 22, title: 20, gap: 10 };

class TimelineView {
    constructor(state) {
        this.state = state;
        this.picture = draw('svg', { role: 'presentation' });
        this.plot = make('div', { class: 'plot', tabindex: '0', role: 'group',
            'aria-label': 'Timeline: when each kernel ran; + and - zoom, 0 shows all' }, this.picture);
        this.missing = make('div', { class: 'missing' });
        this.root = make('div', { class: 'timeline' }, this.plot, this.missing);
        this.listen();
        this.state.follow((what) => this.follow(what));
        this.build();
    }

    open() {
        this.paint();
    }

    close() {}

    get width() {
        return Math.max(200, (this.plot.clientWidth || 800) - kTime.left - 12);
    }

    listen() {
        this.plot.addEventListener('wheel', (event) => {
            if (event.shiftKey || this.timeAt(event) < this.range.from)
                return; // over the names of rows it scrolls
            event.preventDefault();
            this.look(zoomedTime(this.range, wheelFactor(event), this.timeAt(event), this.end));
        }, { passive: false });
        onDrag(this.picture, () => ({ ...this.range, top: this.root.scrollTop }), ({ from, to, top }, x, y) => {
            const shift = -x * (to - from) / this.width;
            this.root.scrollTop = top - y;
            this.look(withinTime({ from: from + shift, to: to + shift }, this.end));
        });
        this.plot.addEventListener('keydown', (event) => this.press(event));
        this.picture.addEventListener('click', (event) => {
            const kernel = event.target.closest('[data-ops]');
            this.state.select(kernel ? kernel.dataset.ops.split(' ').filter(Boolean).map(Number) : []);
        });
        new ResizeObserver(() => this.paint()).observe(this.plot);
    }

    press(event) {
        const key = zoomKey(event);
        if (!key)
            return;
        event.preventDefault();
        const middle = (this.range.from + this.range.to) / 2;
        this.look(key === 'whole' ? { from: 0, to: this.end }
            : zoomedTime(this.range, key === 'in' ? 1.5 : 1 / 1.5, middle, this.end));
    }

    timeAt(event) {
        const x = event.clientX - this.picture.getBoundingClientRect().left - kTime.left;
        return this.range.from + x / this.width * (this.range.to - this.range.from);
    }

    build() {
        const results = this.state.results;
        this.lanes = results.filter((result) => result.timeline);
        this.end = Math.max(1, ...this.lanes.map((result) => result.timeline.durationNs));
        this.range = { from: 0, to: this.end };
        this.plot.hidden = this.lanes.length === 0;
        this.missing.replaceChildren(...results.map((result, place) => (result.timeline ? this.notes(result, place)
            : make('p', { class: 'note' }, make('span', { class: 'badge' }, badgeOf(place)),
                `${result.name} has no timeline. ${result.whyNoTimeline}`))).filter(Boolean));
        this.paint();
    }

    notes(result, place) {
        const { notes } = result.timeline;
        return notes.length === 0 ? null
            : make('p', { class: 'note' }, make('span', { class: 'badge' }, badgeOf(place)), notes.join(' '));
    }

    look(range) {
        this.range = range;
        this.paint();
    }

    follow(what) {
        if (what === 'shown')
            this.build();
        else if (what === 'selection')
            this.reveal();
        else if (what === 'hits')
            this.paint();
    }

    // The first kernel of what is selected comes into sight.
    reveal() {
        const [first] = this.state.selected;
        const kernel = this.lanes.flatMap((result) => result.timeline.kernels).find((each) => each[5].includes(first));
        const size = this.range.to - this.range.from;
        if (kernel && (kernel[2] < this.range.from || kernel[3] > this.range.to))
            this.range = withinTime({ from: (kernel[2] + kernel[3] - size) / 2,
                to: (kernel[2] + kernel[3] + size) / 2 }, this.end);
        this.paint();
    }

    x(ns) {
        return kTime.left + (ns - this.range.from) / (this.range.to - this.range.from) * this.width;
    }

    paint() {
        if (this.lanes.length === 0)
            return;
        const parts = [];
        let y = kTime.axis;
        this.lanes.forEach((result) => {
            const height = this.heightOf(result);
            parts.push(this.lane(result, y));
            y += height + kTime.gap;
        });
        const total = kTime.left + this.width + 12;
        this.picture.setAttribute('width', total);
        this.picture.setAttribute('height', y);
        this.picture.replaceChildren(this.axis(y), ...parts);
    }

    heightOf(result) {
        const { rows, counter } = result.timeline;
        return kTime.title + rows.length * kTime.row + (counter ? kTime.counter : 0);
    }

    axis(bottom) {
        const step = timeStep(this.range, Math.max(2, this.width / 110));
        const marks = [];
        for (let ns = Math.ceil(this.range.from / step) * step; ns <= this.range.to; ns += step)
            marks.push(draw('line', { class: 'grid', x1: this.x(ns), x2: this.x(ns), y1: kTime.axis - 4, y2: bottom }),
                draw('text', { class: 'mark', x: this.x(ns) + 3, y: 12 }, timeMark(ns, step)));
        return draw('g', { 'aria-hidden': 'true', class: 'axis' }, ...marks);
    }

    lane(result, top) {
        const { timeline } = result;
        const badge = badgeOf(this.state.shown.indexOf(result.index));
        const words = `${badge}  ${result.name}, ${latencyText(timeline.durationNs / 1000)} `
            + `${timeline.provenance} on ${timeline.device}`;
        const names = timeline.rows.map((name, row) => draw('text', { class: 'row', x: kTime.left - 8,
            y: top + kTime.title + row * kTime.row + 15, 'text-anchor': 'end' },
        fittedText(name, kTime.left - 12, kTypeFont)));
        return draw('g', {}, draw('text', { class: 'lane-title', x: 4, y: top + 14 }, words), ...names,
            this.kernels(result, top + kTime.title),
            this.counter(timeline, top + kTime.title + timeline.rows.length * kTime.row));
    }

    // Those in sight. Of kernels too short to see, one stands for those around it, unless it is selected or a hit.
    kernels(result, top) {
        const selected = new Set(this.state.selected);
        const hits = new Set(this.state.hits);
        const drawnTo = result.timeline.rows.map(() => -1);
        const isSeen = ([row, , from, to, , operators]) => {
            const end = this.x(to);
            if (end - this.x(from) < 0.5 && end < drawnTo[row] + 0.5
                && !operators.some((op) => selected.has(op) || hits.has(op)))
                return false;
            drawnTo[row] = end;
            return true;
        };
        const boxes = result.timeline.kernels
            .filter((kernel) => kernel[3] >= this.range.from && kernel[2] <= this.range.to && isSeen(kernel))
            .map((kernel) => this.kernel(result, kernel, top, selected, hits));
        return draw('g', { class: hits.size > 0 ? 'searched' : '' }, ...boxes);
    }

    kernel(result, [row, rows, fromNs, toNs, stage, operators, name], top, selected, hits) {
        const from = Math.max(kTime.left, this.x(fromNs));
        const width = Math.max(0.5, Math.min(this.x(toNs), kTime.left + this.width) - from);
        const part = stage === null ? result.part(operators[0]) : result.parts[stage];
        const names = operators.map((op) => this.state.model.operators[op].name).join(' + ') || name;
        const has = (set) => operators.some((op) => set.has(op));
        const y = top + row * kTime.row + 2;
        const height = rows * kTime.row - 4;
        return draw('g', { class: `kernel${has(selected) ? ' selected' : ''}${has(hits) ? ' hit' : ''}`,
            'data-ops': operators.join(' '), style: part ? stageColours(part.colour) : '' },
        draw('title', {}, `${names}\n${name}\n${latencyText((toNs - fromNs) / 1000)} from `
            + `${latencyText(fromNs / 1000)}${part ? `\n${result.partTitle(part)}` : ''}`),
        draw('rect', { x: from.toFixed(2), y, width: width.toFixed(2), height, rx: 2 }),
        width < 48 ? null : draw('text', { x: from + 4, y: y + height / 2 + 4 },
            fittedText(names, width - 8, kTypeFont)));
    }

    counter({ counter, durationNs }, top) {
        if (!counter || counter.times.length === 0)
            return null;
        const most = counter.maximum || Math.max(...counter.values) || 1;
        const bottom = top + kTime.counter - 4;
        const y = (value) => bottom - value / most * (kTime.counter - 10);
        const clampX = (ns) => Math.min(kTime.left + this.width, Math.max(kTime.left, this.x(ns)));
        let path = `M${clampX(0)},${bottom}`;
        counter.values.forEach((value, i) => {
            const to = counter.times[i + 1] ?? durationNs;
            if (to >= this.range.from && counter.times[i] <= this.range.to)
                path += `L${clampX(counter.times[i]).toFixed(1)},${y(value).toFixed(1)}H${clampX(to).toFixed(1)}`;
        });
        return draw('g', { class: 'counter' },
            draw('title', {}, `${counter.name} (${counter.kind}), at most ${countText(most)} ${counter.unit}`),
            draw('path', { d: `${path}V${bottom}H${kTime.left}Z` }),
            draw('text', { class: 'row', x: kTime.left - 8, y: top + 20, 'text-anchor': 'end' },
                fittedText(counter.name, kTime.left - 12, kTypeFont)));
    }
}

function timeMark(ns, step) {
    const digits = (size) => Math.max(0, Math.ceil(-Math.log10(step / size)));
    return step < 1e5 ? `${(ns / 1000).toFixed(digits(1000))} us` : `${(ns / 1e6).toFixed(digits(1e6))} ms`;
}
