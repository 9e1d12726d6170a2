// What a section shows and what is selected in it; the views follow it. Needs no document.

const kMostShown = 4;

class State {
    // `id`: what the ids of its elements begin with.
    constructor(model, id = '') {
        this.model = model;
        this.id = id;
        this.shown = model.firstShown();
        this.focus = this.shown.includes(model.chosen) ? model.chosen : this.shown[0];
        this.selected = [];
        this.part = null; // { result, index } where a whole stage or launch is selected
        this.hits = [];
        this.hit = -1;
        this.text = '';
        this.followers = [];
    }

    follow(follower) {
        this.followers.push(follower);
    }

    tell(what) {
        this.followers.forEach((follower) => follower(what));
    }

    get results() {
        return this.shown.map((index) => this.model.results[index]);
    }

    get focused() {
        return this.model.results[this.focus];
    }

    canShow(index) {
        return this.model.results[index].hasSchedule && (this.shown.includes(index) || this.shown.length < kMostShown);
    }

    // The last one stays.
    show(index, isShown) {
        const others = this.shown.filter((each) => each !== index);
        if (isShown ? !this.canShow(index) : others.length === 0)
            return;
        this.shown = isShown ? [...others, index].sort((a, b) => a - b) : others;
        if (!this.shown.includes(this.focus))
            this.focus = this.shown[0];
        this.tell('shown');
    }

    setFocus(index) {
        if (this.focus === index)
            return;
        this.focus = index;
        this.tell('focus');
    }

    select(operators, part = null) {
        this.selected = operators;
        this.part = part;
        this.hit = operators.length === 1 ? this.hits.indexOf(operators[0]) : -1;
        this.tell('selection');
    }

    selectPart(result, index) {
        this.select(this.model.results[result].parts[index].operators, { result, index });
    }

    // Escape: first the selection goes, then the search.
    clear() {
        if (this.selected.length > 0)
            this.select([]);
        else
            this.search('');
    }

    search(text) {
        this.text = text;
        this.hits = this.model.find(text);
        this.hit = -1;
        this.tell('hits');
    }

    // To the next hit, round and round; to the one before with -1.
    step(by) {
        if (this.hits.length === 0)
            return;
        const from = this.hit < 0 ? (by > 0 ? -1 : 0) : this.hit;
        this.select([this.hits[(from + by + this.hits.length) % this.hits.length]]);
    }

    // From the selected operator along an edge (up, down), or in the order of the schedule in focus (left, right).
    move(direction) {
        const at = this.selected[0];
        if (at === undefined) {
            this.select([0]);
            return;
        }
        const to = { up: this.model.operators[at].reads[0], down: this.model.readers[at][0],
            left: this.neighbour(at, -1), right: this.neighbour(at, 1) }[direction];
        if (to !== undefined)
            this.select([to]);
    }

    // In the schedule in focus: the operator before or after.
    neighbour(op, by) {
        const order = this.focused ? this.focused.parts.flatMap((part) => part.operators)
            : this.model.operators.map((_, id) => id);
        return order[order.indexOf(op) + by];
    }
}
