/** Finds operations, query types and errors that have all words of a text; those with a word in their name first. */
export const SEARCH_SCRIPT = `const SHOWN = 30;

/** The names and descriptions in a part of the document, and in the schemas it refers to. */
function textIn(spec, node, depth = 0) {
  if (typeof node !== 'object' || node === null || depth > 12) return '';
  const path = node.$ref && node.$ref.split('/').slice(1);
  if (path) return path.at(-1) + ' ' + textIn(spec, path.reduce((part, name) => part[name], spec), depth + 3);
  const own = [node.name, node.description, ...Object.keys(node.properties ?? {}), ...(node.enum ?? [])];
  const below = Object.entries(node).filter(([key]) => !key.startsWith('example')).map(([, part]) => textIn(spec, part, depth + 1));
  return [...own, ...below].filter((part) => typeof part === 'string' && part !== '').join(' ');
}

function operationsOf(spec) {
  return Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description, tags, operationId, parameters, requestBody }]) => {
      const name = method.toUpperCase() + ' ' + path;
      const href = '#/' + encodeURIComponent(tags[0]) + '/' + operationId;
      const more = [description, operationId, tags[0], textIn(spec, parameters), textIn(spec, requestBody)];
      return { kind: 'Operation', name, summary, href, title: (name + ' ' + summary).toLowerCase(), text: more.join(' ').toLowerCase() };
    }));
}

const catalogued = () => [...document.querySelectorAll('[data-entry]')].map((entry) => {
  const [name, summary] = entry.querySelector('summary').children;
  const title = (name.textContent + ' ' + summary.textContent).toLowerCase();
  return { kind: entry.dataset.entry, name: name.textContent, summary: summary.textContent, href: '#' + entry.id, title, text: entry.textContent.toLowerCase() };
});

function find(entries, wanted) {
  const words = wanted.toLowerCase().split(/\\s+/).filter(Boolean);
  const score = ({ title, text }) => words.reduce((sum, word) => sum + (title.includes(word) ? 2 : text.includes(word) ? 1 : -Infinity), 0);
  const scored = entries.map((entry) => ({ entry, points: score(entry) })).filter(({ points }) => points > 0);
  return scored.sort((a, b) => b.points - a.points).map(({ entry }) => entry);
}

function rowOf({ kind, name, summary, href }) {
  const link = Object.assign(document.createElement('a'), { href });
  for (const [tag, text] of [['code', name], ['span', summary], ['small', kind]])
    link.append(Object.assign(document.createElement(tag), { textContent: text }), ' ');
  const row = document.createElement('li');
  row.append(link);
  return row;
}

/** Opens what the hash of the address names. */
function openTarget(ui) {
  const [root, tag, id] = location.hash.slice(1).split('/').map(decodeURIComponent);
  const entry = document.getElementById(root);
  if (entry?.tagName === 'DETAILS') entry.open = true;
  entry?.scrollIntoView();
  if (root !== '' || id === undefined) return;
  ui.layoutActions.show(['operations-tag', tag], true);
  ui.layoutActions.show(['operations', tag, id], true);
  const element = () => document.querySelector('[id="operations-' + tag.replaceAll(' ', '_') + '-' + id + '"]');
  requestAnimationFrame(() => requestAnimationFrame(() => element()?.scrollIntoView()));
}

function startSearch(spec, ui) {
  const entries = [...operationsOf(spec), ...catalogued()];
  const input = document.querySelector('#search');
  const found = document.querySelector('#found');
  const show = () => {
    const results = find(entries, input.value);
    found.hidden = input.value.trim() === '';
    found.querySelector('[role=status]').textContent = results.length === 0 ? 'Nothing found' : results.length + ' found';
    found.querySelector('ul').replaceChildren(...results.slice(0, SHOWN).map(rowOf));
  };
  input.addEventListener('input', show);
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    found.hidden = true;
    history.pushState(null, '', link.hash);
    openTarget(ui);
  });
  addEventListener('keydown', ({ key }) => { if (key === 'Escape') found.hidden = true; });
  addEventListener('popstate', () => openTarget(ui));
  if (!location.hash.startsWith('#/')) openTarget(ui); // Swagger UI opens operations itself
  input.value && show();
}
`;
