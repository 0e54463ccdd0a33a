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
