// Starts the sections of a report, and what is of the page as a whole: theme and the keys that find.

// As the system says until the button is pressed.
function themeButton() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
    const button = make('button', { type: 'button', class: 'theme', click: () => {
        document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
        label();
    } });
    const label = () => { button.textContent = isDark() ? 'Light theme' : 'Dark theme'; };
    label();
    system.addEventListener('change', label);
    return button;
}

function startExplorers() {
    return [...document.querySelectorAll('.explorer')].map((root, index) => new Explorer(root,
        new Model(JSON.parse(root.querySelector('script[type="application/json"]').textContent)), `g${index}`));
}

// The one that has the focus, else the first of which something is in sight.
function activeExplorer(explorers) {
    return explorers.find(({ root }) => root.contains(document.activeElement))
        ?? explorers.find(({ root }) => root.getBoundingClientRect().bottom > 100) ?? explorers[0];
}

// In the field of the search, Ctrl+F is the browser's own.
function findKey(event) {
    const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'search';
    const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'f';
    return !isTyping && (isFind || (event.key === '/' && !hasModifier(event)));
}

function startPage() {
    document.body.prepend(themeButton());
    const explorers = startExplorers();
    document.addEventListener('keydown', (event) => {
        if (explorers.length > 0 && findKey(event)) {
            event.preventDefault();
            activeExplorer(explorers).focusSearch();
        }
    });
}

startPage();
