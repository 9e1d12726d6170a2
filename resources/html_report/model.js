// What the data block of a section says, and what follows from it. Needs no document.

// Microseconds as elsewhere in this program: "412.3 us", "4.030 ms".
function latencyText(us) {
    return us < 1000 ? `${us.toFixed(1)} us` : `${(us / 1000).toFixed(3)} ms`;
}

function countText(count) {
    return Math.round(count).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

function amountText(value, unit) {
    const steps = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
    const step = steps.find(([size]) => value >= size);
    return step ? `${(value / step[0]).toFixed(2)} ${step[1]}${unit}` : `${countText(value)} ${unit}`;
}

function plural(count, noun) {
    return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

// "A" to "D": the place of a result on the page.
function badgeOf(place) {
    return String.fromCharCode('A'.charCodeAt(0) + place);
}

// A stage or a launch with its operators in lanes: what both kinds of schedules have.
function stageParts(result) {
    return result.stages.map((stage, index) => ({
        index, colour: index, lanes: stage.groups, operators: stage.groups.flat(), latencyUs: stage.latencyUs,
    }));
}

function launchParts(result) {
    return result.streams.launches.map((launch, index) => ({
        index, colour: launch.stream, lanes: [launch.operators], operators: launch.operators,
    }));
}

class Result {
    constructor(data, index, operators) {
        Object.assign(this, data);
        this.index = index;
        this.hasSchedule = Boolean(data.stages || data.streams);
        this.parts = data.stages ? stageParts(data) : data.streams ? launchParts(data) : [];
        this.partOf = new Array(operators).fill(-1);
        for (const part of this.parts)
            part.operators.forEach((op) => { this.partOf[op] = part.index; });
        this.kernels = this.timeline ? kernelTimes(this.timeline, operators) : null;
    }

    // The part of the schedule that has the operator; undefined: none.
    part(op) {
        return this.parts[this.partOf[op]];
    }

    isMerged(part) {
        return this.stages ? this.stages[part.index].strategy === 'merge' : part.operators.length > 1;
    }

    // "Stage 5", "Launch 5 on stream 2".
    partTitle(part) {
        return this.stages ? `Stage ${part.index + 1}`
            : `Launch ${part.index + 1} on stream ${this.streams.launches[part.index].stream + 1}`;
    }

    partWords(part) {
        const words = [this.partTitle(part)];
        if (this.isMerged(part))
            words.push('merged into one bigger operator');
        else if (this.stages && part.lanes.length > 1)
            words.push(`${part.lanes.length} groups side by side`);
        if (part.latencyUs !== undefined)
            words.push(`${latencyText(part.latencyUs)}, ${this.stageProvenance}`);
        return words.join(', ');
    }

    // "3.922 ms, simulated".
    latencyWords() {
        return this.latency + (this.provenance && this.latencyUs !== undefined ? `, ${this.provenance}` : '');
    }

    // Empty where the name says it.
    madeByWords() {
        return this.madeBy && this.madeBy.toLowerCase() !== this.name.toLowerCase() ? this.madeBy : '';
    }

    speedupWords(baseline) {
        return this.speedup && baseline && this.name !== baseline ? `${this.speedup.toFixed(2)}x over ${baseline}` : '';
    }
}

// By operator: the time of the kernels that compute it, "35.0 us", and others with it where they are merged.
function kernelTimes(timeline, operators) {
    const times = Array.from({ length: operators }, () => ({ us: 0, isShared: false }));
    timeline.kernels.forEach(([, , startNs, endNs, , ids]) => ids.forEach((id) => {
        times[id].us += (endNs - startNs) / 1000;
        times[id].isShared ||= ids.length > 1;
    }));
    return times;
}

function kernelWords({ us, isShared }) {
    return us > 0 ? latencyText(us) + (isShared ? ' with others' : '') : '';
}

function readersOf(operators) {
    const readers = operators.map(() => []);
    operators.forEach((op, id) => op.reads.forEach((from) => readers[from].push(id)));
    return readers;
}

class Model {
    constructor(data) {
        Object.assign(this, data);
        this.readers = readersOf(data.operators);
        this.results = data.results.map((result, index) => new Result(result, index, data.operators.length));
    }

    // The operators whose name or type holds the text, whatever its case.
    find(text) {
        const wanted = text.trim().toLowerCase();
        if (!wanted)
            return [];
        return this.operators.map((op, id) => ({ op, id }))
            .filter(({ op }) => `${op.name}\n${op.type}`.toLowerCase().includes(wanted))
            .map(({ id }) => id);
    }

    // Results to begin with: all of up to three, else the baseline, the chosen and the fastest one.
    firstShown() {
        const able = this.results.filter((result) => result.hasSchedule);
        const fastest = [...able].sort((a, b) => (a.latencyUs ?? Infinity) - (b.latencyUs ?? Infinity))[0];
        const baseline = able.find((result) => result.name === this.baseline) ?? able[0];
        const chosen = able.find((result) => result.index === this.chosen) ?? fastest;
        const first = able.length <= 3 ? able : [baseline, chosen, fastest];
        return [...new Set(first.map((result) => result.index))].sort((a, b) => a - b);
    }
}
