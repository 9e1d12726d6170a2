// What is known of the selected operator, stage or launch, in each result shown.

class DetailsView {
    constructor(state) {
        this.state = state;
        this.root = make('div', { class: 'details', role: 'region', 'aria-label': 'Details', 'aria-live': 'polite',
            tabindex: '0' });
        state.follow((what) => (what === 'selection' || what === 'shown' ? this.build() : undefined));
        this.build();
    }

    build() {
        const { selected, part } = this.state;
        const page = part && this.state.shown.includes(part.result) ? this.partPage(part)
            : selected.length > 0 ? this.operatorPage(selected) : [this.hint()];
        this.root.replaceChildren(...page.filter(Boolean));
    }

    hint() {
        return make('p', { class: 'note' }, 'Select an operator or a stage, in any view, to see what is known of it.');
    }

    partPage({ result: index, index: at }) {
        const result = this.state.model.results[index];
        const part = result.parts[at];
        const place = this.state.shown.indexOf(index);
        return [make('h3', {}, make('span', { class: 'badge' }, badgeOf(place)), result.name),
            make('p', {}, result.partWords(part)),
            this.links(`${plural(part.operators.length, 'operator')}`, part.operators),
            ...this.launchFacts(result, part)];
    }

    launchFacts(result, part) {
        if (result.stages) {
            const order = result.stages[part.index].launchOrder;
            return order ? [this.links('Launched in this order', order)] : [];
        }
        const { waits } = result.streams.launches[part.index];
        return [this.links('Waits for', waits.flatMap((launch) => result.parts[launch].operators))];
    }

    operatorPage(selected) {
        const [id] = selected;
        const op = this.state.model.operators[id];
        const more = selected.length > 1 ? make('p', { class: 'note' }, `and ${selected.length - 1} with it`) : null;
        return [make('h3', {}, op.name), more, facts([['Type', op.type], ['Block', op.block + 1], ['Output', op.output],
            ['FLOP', op.flops && amountText(op.flops, 'FLOP')],
            ['Reads and writes', op.bytes && amountText(op.bytes, 'B')],
            ...(op.attributes ?? [])]),
        ...this.state.results.map((result, place) => this.inResult(result, place, id)),
        this.links('Reads', op.reads), this.links('Read by', this.state.model.readers[id])];
    }

    inResult(result, place, id) {
        const part = result.part(id);
        const time = result.kernels ? kernelWords(result.kernels[id]) : '';
        return make('div', { class: 'in-result' }, make('span', { class: 'badge' }, badgeOf(place)),
            make('strong', {}, result.name),
            make('div', {}, part ? make('button', { type: 'button', class: 'link', style: stageColours(part.colour),
                click: () => this.state.selectPart(result.index, part.index) }, make('span', { class: 'swatch' }),
            result.partWords(part)) : 'not in this schedule'),
            time ? make('div', {}, `Kernels ${time}, ${result.timeline.provenance}`) : null);
    }

    links(title, operators) {
        if (operators.length === 0)
            return null;
        return make('div', { class: 'links' }, make('h4', {}, title), ...operators.map((id) => make('button',
            { type: 'button', class: 'link', click: () => this.state.select([id]) },
            this.state.model.operators[id].name)));
    }
}

function facts(pairs) {
    return make('dl', {}, ...pairs.filter(([, value]) => value !== undefined && value !== '')
        .flatMap(([key, value]) => [make('dt', {}, key), make('dd', {}, value)]));
}
