// The graph from top to bottom, coloured by the stages of the result in focus.

const kNameFont = '11px system-ui, sans-serif';
const kTypeFont = '10px system-ui, sans-serif';

class GraphView {
    constructor(state) {
        this.state = state;
        this.layout = layoutGraph(state.model.operators);
        this.canvas = draw('g');
        this.picture = draw('svg', { role: 'listbox', tabindex: '0', 'aria-multiselectable': 'true',
            'aria-label': 'Graph: arrow keys follow edges, + and - zoom, 0 shows all' }, this.canvas);
        this.root = make('div', { class: 'graph' }, this.picture, this.buttons());
        this.drawFrames();
        const edges = new ElementsOf();
        this.layout.edges.forEach((edge) => this.drawEdge(edge, edges));
        this.nodes = state.model.operators.map((op, id) => this.drawNode(op, id));
        this.selected = new Marks('selected', (op) => [this.nodes[op]]);
        this.lit = new Marks('lit', (op) => edges.of(op));
        this.hits = new Marks('hit', (op) => [this.nodes[op]]);
        this.listen();
        this.recolour();
    }

    buttons() {
        const button = (text, label, action) => make('button', { type: 'button', 'aria-label': label, title: label,
            click: action }, text);
        return make('div', { class: 'zoom' }, button('+', 'Zoom in (+)', () => this.zoom(1.3)),
            button('−', 'Zoom out (-)', () => this.zoom(1 / 1.3)),
            button('Fit', 'Whole graph (0)', () => this.fit()));
    }

    drawFrames() {
        this.layout.frames.forEach((frame, block) => this.canvas.append(
            draw('rect', { class: 'frame', x: frame.left, y: frame.top, width: frame.right - frame.left,
                height: frame.bottom - frame.top, rx: 6 }),
            draw('text', { class: 'title', x: frame.left + 8, y: frame.top + 14 }, `Block ${block + 1}`)));
    }

    drawEdge({ from, to, points }, edges) {
        const path = draw('path', { class: 'edge', d: edgePath(points) });
        this.canvas.append(path);
        edges.add(from, path);
        edges.add(to, path);
    }

    drawNode(op, id) {
        const { x, y } = this.layout.nodes[id];
        const room = kNode.width - 16;
        const node = draw('g', { class: 'node', id: `${this.state.id}-node-${id}`, role: 'option',
            'aria-selected': 'false', transform: `translate(${x.toFixed(1)},${y})`, 'data-op': id },
        draw('title', {}, `${op.name}\n${op.type}, ${op.output}`),
        draw('rect', { width: kNode.width, height: kNode.height, rx: 5 }),
        draw('text', { x: 8, y: 16 }, fittedText(op.name, room, kNameFont)),
        draw('text', { class: 'type', x: 8, y: 30 }, fittedText(op.type, room, kTypeFont)));
        this.canvas.append(node);
        return node;
    }

    listen() {
        this.picture.addEventListener('wheel', (event) => {
            event.preventDefault();
            const box = this.picture.getBoundingClientRect();
            this.zoom(wheelFactor(event), event.clientX - box.left, event.clientY - box.top);
        }, { passive: false });
        onDrag(this.picture, () => this.view, (start, x, y) => this.look({ ...start, x: start.x + x, y: start.y + y }));
        this.picture.addEventListener('click', (event) => {
            const node = event.target.closest('[data-op]');
            this.state.select(node ? [Number(node.dataset.op)] : []);
        });
        this.root.addEventListener('keydown', (event) => this.press(event));
        this.state.follow((what) => this.follow(what));
    }

    press(event) {
        const key = zoomKey(event);
        if (!key)
            return;
        event.preventDefault();
        if (key === 'whole')
            this.fit();
        else
            this.zoom(key === 'in' ? 1.3 : 1 / 1.3);
    }

    get room() {
        return [this.picture.clientWidth || this.root.clientWidth, this.picture.clientHeight || this.root.clientHeight];
    }

    look(view) {
        this.view = view;
        this.canvas.setAttribute('transform',
            `translate(${view.x.toFixed(2)},${view.y.toFixed(2)}) scale(${view.scale})`);
    }

    begin() {
        this.look(begun(this.layout.width, this.layout.height, ...this.room));
    }

    fit() {
        this.look(fitted(this.layout.width, this.layout.height, ...this.room));
    }

    zoom(factor, x = this.room[0] / 2, y = this.room[1] / 2) {
        this.look(zoomed(this.view, factor, x, y));
    }

    follow(what) {
        if (what === 'shown' || what === 'focus')
            this.recolour();
        if (what === 'selection')
            this.mark();
        if (what === 'hits')
            this.markHits();
        if (what === 'selection' && this.state.selected.length > 0)
            this.reveal(this.state.selected[0]);
    }

    recolour() {
        const result = this.state.focused;
        this.nodes.forEach((node, id) => {
            const part = result?.part(id);
            node.setAttribute('style', part ? stageColours(part.colour) : '');
            node.classList.toggle('merged', Boolean(part && result.isMerged(part)));
            const op = this.state.model.operators[id];
            node.setAttribute('aria-label', `${op.name}, ${op.type}${part ? `, ${result.partTitle(part)}` : ''}`);
        });
    }

    mark() {
        const { selected } = this.state;
        this.selected.set(selected);
        this.lit.set(selected);
        if (selected.length > 0)
            this.picture.setAttribute('aria-activedescendant', this.nodes[selected[0]].id);
        else
            this.picture.removeAttribute('aria-activedescendant');
    }

    markHits() {
        this.root.classList.toggle('searched', this.state.hits.length > 0);
        this.hits.set(this.state.hits);
    }

    reveal(op) {
        const rect = { ...this.layout.nodes[op], width: kNode.width, height: kNode.height };
        this.look(revealing(this.view, rect, ...this.room));
    }
}
