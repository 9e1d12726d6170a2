// A section to work with: tool bar, graph, schedules, details, and below them timeline and tables.

class Explorer {
    constructor(root, model, id) {
        this.root = root;
        this.state = new State(model, id);
        this.graph = new GraphView(this.state);
        this.schedules = new ScheduleView(this.state);
        this.details = new DetailsView(this.state);
        root.append(this.toolBar(), make('div', { class: 'main' }, this.graph.root, this.schedules.root,
            this.details.root), this.bottom(id));
        root.hidden = false;
        root.addEventListener('keydown', (event) => this.press(event));
        this.state.follow((what) => this.follow(what));
        this.follow('shown');
        this.graph.begin();
        this.timeline.open();
    }

    toolBar() {
        this.choices = this.state.model.results.map((result) => this.choice(result));
        this.search = make('input', { type: 'search', placeholder: 'Find operators (press /)', spellcheck: 'false',
            'aria-label': 'Find operators by name or type; Enter steps through them', autocomplete: 'off',
            input: () => this.state.search(this.search.value), keydown: (event) => this.pressInSearch(event) });
        this.count = make('span', { class: 'note', role: 'status', 'aria-live': 'polite' });
        return make('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Results and search' },
            make('fieldset', {}, make('legend', {}, `Side by side, at most ${kMostShown}`),
                ...this.choices.map(({ label }) => label)),
            make('div', { class: 'find' }, this.search, this.count));
    }

    choice(result) {
        const box = make('input', { type: 'checkbox', change: () => this.state.show(result.index, box.checked) });
        const badge = make('span', { class: 'badge' });
        const label = make('label', { title: result.hasSchedule ? result.order : `No schedule: ${result.whyNot}` }, box,
            badge, result.name, make('span', { class: 'note' }, result.latencyWords()));
        return { result, box, badge, label };
    }

    bottom(id) {
        this.timeline = new TimelineView(this.state);
        this.pages = [['Timeline', this.timeline],
            ['Operators', new TableView(this.state, operatorRows, 'Operators')],
            ['Stages', new TableView(this.state, stageRows, 'Stages and launches')]]
            .map(([title, view], i) => this.page(title, view, `${id}-page-${i}`));
        this.open(0);
        return make('div', { class: 'bottom' }, make('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Below' },
            ...this.pages.map(({ tab }) => tab)), ...this.pages.map(({ panel }) => panel));
    }

    page(title, view, id) {
        const tab = make('button', { type: 'button', role: 'tab', id: `${id}-tab`, 'aria-controls': id,
            click: () => this.open(this.pages.findIndex((page) => page.tab === tab)),
            keydown: (event) => this.pressInTabs(event) }, title);
        const panel = make('div', { class: 'page', role: 'tabpanel', id, 'aria-labelledby': `${id}-tab` }, view.root);
        return { tab, panel, view };
    }

    open(index) {
        this.opened = index;
        this.pages.forEach(({ tab, panel, view }, i) => {
            tab.setAttribute('aria-selected', String(i === index));
            tab.tabIndex = i === index ? 0 : -1;
            panel.hidden = i !== index;
            if (i === index)
                view.open();
            else
                view.close();
        });
    }

    pressInTabs(event) {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by)
            return;
        event.stopPropagation();
        this.open((this.opened + by + this.pages.length) % this.pages.length);
        this.pages[this.opened].tab.focus();
    }

    pressInSearch(event) {
        if (event.key === 'Enter') {
            event.preventDefault();
            this.state.step(event.shiftKey ? -1 : 1);
        }
    }

    // Up and down follow edges in the graph, and the order of the schedule elsewhere, as left and right do.
    press(event) {
        const arrow = arrowKey(event);
        if (event.key === 'Escape' && !hasModifier(event)) {
            event.preventDefault();
            this.state.clear();
        } else if (arrow && event.target.matches('.graph > svg, .schedule, .plot')) {
            event.preventDefault();
            const isEdge = event.target === this.graph.picture;
            this.state.move(isEdge ? arrow : { up: 'left', down: 'right' }[arrow] ?? arrow);
        }
    }

    focusSearch() {
        this.search.focus();
        this.search.select();
    }

    follow(what) {
        if (what === 'shown')
            this.updateChoices();
        if (what === 'hits' && this.search.value !== this.state.text)
            this.search.value = this.state.text;
        if (what === 'hits' || what === 'selection')
            this.count.textContent = this.countWords();
    }

    updateChoices() {
        this.choices.forEach(({ result, box, badge }) => {
            const place = this.state.shown.indexOf(result.index);
            box.checked = place >= 0;
            box.disabled = !this.state.canShow(result.index) || (place >= 0 && this.state.shown.length === 1);
            badge.textContent = place >= 0 ? badgeOf(place) : '';
        });
    }

    countWords() {
        const { hits, hit, text } = this.state;
        if (!text)
            return '';
        if (hits.length === 0)
            return 'no operator';
        return hit < 0 ? plural(hits.length, 'operator') : `${hit + 1} of ${hits.length}`;
    }
}
