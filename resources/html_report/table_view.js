// Tables of all operators, and of the stages or launches of the results shown. A click on a heading sorts.

const kHeadHeight = 30; // of the headings, which stay above the rows

// Cells: { text, value }: what it is sorted by. `select` is what a click on the row does; `operators` what the row is
// of.
class TableView {
    constructor(state, rows, label) {
        this.state = state;
        this.rowsOf = rows;
        this.label = label;
        this.order = { column: -1, isDown: false };
        this.root = make('div', { class: 'table', role: 'region', tabindex: '0', keydown: (event) => this.press(event),
            'aria-label': `${label}: arrow keys go from row to row` });
        state.follow((what) => this.follow(what));
    }

    // When it comes into sight: it is made only then.
    open() {
        this.isOpen = true;
        if (!this.rows)
            this.build();
        this.mark();
    }

    close() {
        this.isOpen = false;
    }

    build() {
        const { columns, rows } = this.rowsOf(this.state);
        const { column, isDown } = this.order;
        const sorted = column < 0 || column >= columns.length ? rows
            : [...rows].sort((a, b) => compareCells(a.cells[column], b.cells[column], isDown));
        this.current = null;
        const lines = new ElementsOf();
        this.rows = sorted.map((row) => this.row(row, columns, lines));
        this.selected = new Marks('selected', (op) => lines.of(op));
        this.hits = new Marks('hit', (op) => lines.of(op));
        this.root.replaceChildren(make('table', { 'aria-label': this.label },
            make('thead', {}, make('tr', {}, ...columns.map((each, i) => this.heading(each, i)))),
            make('tbody', {}, ...this.rows.map(({ line }) => line))));
    }

    heading({ text, isNumber }, i) {
        const isSorted = this.order.column === i;
        return make('th', { scope: 'col', class: isNumber ? 'number' : undefined,
            'aria-sort': isSorted ? (this.order.isDown ? 'descending' : 'ascending') : 'none' },
        make('button', { type: 'button', click: () => this.sort(i) }, text,
            make('span', { 'aria-hidden': 'true' }, isSorted ? (this.order.isDown ? ' ▾' : ' ▴') : '')));
    }

    sort(column) {
        this.order = { column, isDown: this.order.column === column && !this.order.isDown };
        this.build();
        this.mark();
    }

    row({ cells, operators, select }, columns, lines) {
        const choose = () => {
            this.current = line;
            select();
        };
        const line = make('tr', { click: choose, 'data-ops': operators.join(' ') },
            ...cells.map((cell, i) => make('td', { class: columns[i].isNumber ? 'number' : columns[i].isLong && 'long',
                style: cell.colour === undefined ? undefined : stageColours(cell.colour) },
            cell.colour === undefined ? null : make('span', { class: 'swatch' }), cell.text)));
        operators.forEach((op) => lines.add(op, line));
        return { line, operators, choose };
    }

    press(event) {
        const by = { up: -1, down: 1 }[arrowKey(event)];
        if (!by || event.target !== this.root)
            return;
        event.preventDefault();
        const at = this.rows.findIndex(({ line }) => line === this.current);
        const next = this.rows[at < 0 ? 0 : at + by];
        if (next)
            next.choose();
    }

    follow(what) {
        if (what === 'shown')
            this.rows = null;
        if (this.isOpen)
            this.open();
    }

    mark() {
        this.root.classList.toggle('searched', this.state.hits.length > 0);
        this.selected.set(this.state.selected);
        this.hits.set(this.state.hits);
        this.reveal();
    }

    // The row that was chosen here, else the first one of what is selected.
    reveal() {
        if (!this.current?.classList.contains('selected'))
            this.current = this.rows.find(({ operators }) => operators.includes(this.state.selected[0]))?.line;
        if (this.current)
            revealIn(this.root, this.current, kHeadHeight);
    }
}

// What is not known comes last, in both orders.
function compareCells({ value: a }, { value: b }, isDown) {
    if (a === undefined || b === undefined)
        return (a === undefined) - (b === undefined);
    return (isDown ? -1 : 1) * (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true }));
}

// An empty text is not known.
function textCell(text) {
    return { text, value: text || undefined };
}

function numberCell(value, text) {
    return { text: value === undefined ? '' : text, value };
}

function operatorRows(state) {
    const { operators } = state.model;
    const columns = [{ text: 'operator' }, { text: 'type' }, { text: 'block', isNumber: true }, { text: 'output' },
        { text: 'FLOP', isNumber: true }];
    state.results.forEach((result, place) => {
        columns.push({ text: `${badgeOf(place)} ${result.stages ? 'stage' : 'stream'}`, isNumber: true });
        if (result.timeline)
            columns.push({ text: `${badgeOf(place)} kernels, ${result.timeline.provenance}`, isNumber: true });
    });
    const rows = operators.map((op, id) => ({ operators: [id], select: () => state.select([id]),
        cells: [textCell(op.name), textCell(op.type), numberCell(op.block, op.block + 1), textCell(op.output),
            numberCell(op.flops, op.flops === undefined ? '' : amountText(op.flops, '')),
            ...state.results.flatMap((result) => cellsIn(result, id))] }));
    return { columns, rows };
}

function cellsIn(result, id) {
    const part = result.part(id);
    const place = part ? { ...numberCell(part.colour, part.colour + 1), colour: part.colour }
        : numberCell(undefined, '');
    if (!result.timeline)
        return [place];
    const time = result.kernels[id];
    return [place, numberCell(time.us || undefined, kernelWords(time))];
}

function stageRows(state) {
    const { operators } = state.model;
    const columns = [{ text: 'schedule' }, { text: 'stage or launch', isNumber: true },
        { text: 'block', isNumber: true }, { text: 'runs as' }, { text: 'operators', isLong: true },
        { text: 'latency', isNumber: true }, { text: 'numbers are' }];
    const names = (lane) => lane.map((op) => operators[op].name).join(', ');
    const rows = state.results.flatMap((result, place) => result.parts.map((part) => ({ operators: part.operators,
        select: () => state.selectPart(result.index, part.index),
        cells: [textCell(`${badgeOf(place)} ${result.name}`),
            { ...numberCell(part.index, part.index + 1), colour: part.colour },
            numberCell(operators[part.operators[0]].block, operators[part.operators[0]].block + 1),
            textCell(runsAs(result, part)), textCell(part.lanes.map(names).join(' | ')),
            numberCell(part.latencyUs, part.latencyUs === undefined ? '' : latencyText(part.latencyUs)),
            textCell(part.latencyUs === undefined ? '' : result.stageProvenance)] })));
    return { columns, rows };
}

function runsAs(result, part) {
    if (!result.stages)
        return `stream ${part.colour + 1}${result.isMerged(part) ? ', merged' : ''}`;
    return result.isMerged(part) ? 'merge' : part.lanes.length > 1 ? `${part.lanes.length} groups` : 'one group';
}
