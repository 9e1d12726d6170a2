// Elements. Text only ever becomes text: nothing here reads markup.

const kSvg = 'http://www.w3.org/2000/svg';

function withContent(node, attributes, content) {
    Object.entries(attributes).forEach(([name, value]) => {
        if (typeof value === 'function')
            node.addEventListener(name, value);
        else if (value !== undefined && value !== null && value !== false)
            node.setAttribute(name, value === true ? '' : value);
    });
    node.append(...content.flat().filter((child) => child !== null && child !== undefined && child !== ''));
    return node;
}

function make(tag, attributes = {}, ...content) {
    return withContent(document.createElement(tag), attributes, content);
}

function draw(tag, attributes = {}, ...content) {
    return withContent(document.createElementNS(kSvg, tag), attributes, content);
}

function stageColours(colour) {
    return `--fill:var(--stage-${colour % 8});--ink:var(--ink-${colour % 8})`;
}

// The beginning of a name gives way, since the end tells operators apart: cut at the left, and read left to right.
function nameElement(name) {
    return make('span', { class: 'name' }, make('bdi', { dir: 'ltr' }, name));
}

const kPen = document.createElement('canvas').getContext('2d');

// The same for pictures, as far as it fits into the width.
function fittedText(text, width, font) {
    kPen.font = font;
    if (kPen.measureText(text).width <= width)
        return text;
    const letters = [...text];
    let least = 0;
    let most = letters.length;
    while (least < most) {
        const from = (least + most) >> 1;
        if (kPen.measureText(`...${letters.slice(from).join('')}`).width <= width)
            most = from;
        else
            least = from + 1;
    }
    return `...${letters.slice(least).join('')}`;
}

// A class of the elements of some operators. Only what changes is touched: there may be thousands.
class Marks {
    constructor(name, elementsOf) {
        this.name = name;
        this.elementsOf = elementsOf;
        this.marked = new Set();
    }

    set(operators) {
        const wanted = new Set(operators.flatMap((op) => this.elementsOf(op)));
        this.marked.forEach((element) => (wanted.has(element) ? undefined : this.mark(element, false)));
        wanted.forEach((element) => (this.marked.has(element) ? undefined : this.mark(element, true)));
        this.marked = wanted;
    }

    mark(element, isSo) {
        element.classList.toggle(this.name, isSo);
        if (this.name === 'selected' && element.getAttribute('role') === 'option')
            element.setAttribute('aria-selected', String(isSo));
    }
}

// By operator, the elements that were added for it.
class ElementsOf extends Map {
    add(op, element) {
        if (!this.has(op))
            this.set(op, []);
        this.get(op).push(element);
    }

    of(op) {
        return this.get(op) ?? [];
    }
}

// Scrolls only the box itself, as little as needed.
function revealIn(box, element, margin = 12) {
    const outer = box.getBoundingClientRect();
    const inner = element.getBoundingClientRect();
    if (inner.top < outer.top + margin)
        box.scrollTop += inner.top - outer.top - margin;
    else if (inner.bottom > outer.bottom - margin)
        box.scrollTop += Math.min(inner.bottom - outer.bottom + margin, inner.top - outer.top - margin);
    if (inner.left < outer.left)
        box.scrollLeft += inner.left - outer.left;
    else if (inner.right > outer.right)
        box.scrollLeft += Math.min(inner.right - outer.right, inner.left - outer.left);
}

// The one that ends a drag.
function ignoreClick(element) {
    const ignore = (click) => click.stopPropagation();
    element.addEventListener('click', ignore, true);
    setTimeout(() => element.removeEventListener('click', ignore, true), 0);
}

// Calls back with how far the pointer was dragged; a press without a drag stays a click.
function onDrag(element, begin, moved) {
    element.addEventListener('pointerdown', (press) => {
        if (press.button > 1)
            return;
        const start = begin();
        let isDrag = false;
        const move = (event) => {
            if (event.buttons === 0) { // it was released outside, before the pointer was captured
                end();
                return;
            }
            const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY];
            if (!isDrag && Math.hypot(x, y) < 4)
                return;
            if (!isDrag)
                element.setPointerCapture(press.pointerId);
            isDrag = true;
            element.classList.add('dragged');
            moved(start, x, y);
        };
        const end = () => {
            element.removeEventListener('pointermove', move);
            element.removeEventListener('pointerup', end);
            element.removeEventListener('pointercancel', end);
            element.classList.remove('dragged');
            if (isDrag)
                ignoreClick(element);
        };
        element.addEventListener('pointermove', move);
        element.addEventListener('pointerup', end);
        element.addEventListener('pointercancel', end);
    });
}

function hasModifier(event) {
    return event.ctrlKey || event.metaKey || event.altKey;
}

// + - 0 of a view that zooms.
function zoomKey(event) {
    return hasModifier(event) ? undefined
        : { '+': 'in', '=': 'in', '-': 'out', _: 'out', 0: 'whole' }[event.key];
}

// How far a turn of the wheel zooms.
function wheelFactor(event) {
    const lines = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
    return Math.exp(-Math.max(-200, Math.min(200, lines)) / 300);
}

function arrowKey(event) {
    return hasModifier(event) ? undefined : { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left',
        ArrowRight: 'right' }[event.key];
}
