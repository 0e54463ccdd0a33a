/** Follows the colours of the system, before anything is shown. */
export const THEME_SCRIPT = `{
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}
`;

/**
 * Shows the operations, each with its samples in the language that was chosen last.
 * TRICKY: requests go to the address of this page, which may differ from the configured one (localhost, 127.0.0.1).
 */
export const SCRIPT = `const LANGUAGE = 'reference-language';
const load = (path) => fetch(path).then((response) => response.json());

/** Of this page where nothing can be stored. */
let language;
try { language = localStorage.getItem(LANGUAGE); } catch {}
const choose = (name) => {
  language = name;
  try { localStorage.setItem(LANGUAGE, name); } catch {}
  dispatchEvent(new Event(LANGUAGE));
};

/** A part of the description with what it refers to. Swagger UI would read the whole of it again for each part, for seconds. */
const withoutReferences = (spec, path) => {
  const at = (keys) => keys.reduce((node, key) => node?.[key], spec);
  const resolve = (node, within) => {
    if (Array.isArray(node)) return node.map((each) => resolve(each, within));
    if (node === null || typeof node !== 'object') return node;
    const { $ref, ...rest } = node;
    if (typeof $ref !== 'string')
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolve(value, within)]));
    if (within.includes($ref)) return node;
    return { ...resolve(at($ref.split('/').slice(1)), [...within, $ref]), $$ref: $ref, ...rest };
  };
  return resolve(at(path), []);
};

const samplesPlugin = (samples) => ({ React }) => {
  const element = React.createElement;
  function Samples({ programs }) {
    const [, update] = React.useReducer((count) => count + 1, 0);
    React.useEffect(() => {
      addEventListener(LANGUAGE, update);
      return () => removeEventListener(LANGUAGE, update);
    }, []);
    const shown = programs[language] ? language : Object.keys(programs)[0];
    const button = (name) =>
      element('button', { key: name, type: 'button', 'aria-pressed': name === shown, onClick: () => choose(name) }, name);
    return element('div', { className: 'samples' },
      element('div', { className: 'languages', role: 'group', 'aria-label': 'Language of the sample' }, Object.keys(programs).map(button)),
      element('pre', { tabIndex: 0, role: 'region', 'aria-label': 'Sample' }, element('code', null, programs[shown])));
  }
  const withSamples = (Original) => (props) => {
    const programs = samples[props.method + ' ' + props.path];
    return element(React.Fragment, null, programs && element(Samples, { programs }), element(Original, props));
  };
  const Layout = ({ getComponent }) => {
    const part = (name) => element(getComponent(name, true));
    return element('div', { className: 'swagger-ui' },
      element('div', { className: 'wrapper' }, part('InfoContainer'), part('AuthorizeBtnContainer'), element('h2', { id: 'operations' }, 'Operations'), part('operations')));
  };
  const labelled = (Original) => (props) => element(Original, { 'aria-label': 'Body', ...props });
  const DeepLink = ({ text }) => element('span', null, text);
  return {
    fn: { resolveSubtree: (spec, path) => Promise.resolve({ spec: withoutReferences(spec, path), errors: [] }) },
    wrapComponents: { responses: withSamples, TextArea: labelled },
    components: { ReferenceLayout: Layout, DeepLink },
  };
};

Promise.all([load('/openapi.json'), load('/reference/samples.json')]).then(([spec, samples]) => {
  spec.servers[0].url = location.origin;
  window.ui = SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [samplesPlugin(samples)],
    layout: 'ReferenceLayout',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
  startSearch(spec, window.ui);
}).catch((error) => {
  document.querySelector('.loading').textContent = 'The reference cannot be loaded: ' + error.message;
});
`;

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
