/** Drawings of packages for the console: marks of programs and sites, flags of countries, the world. Each is a file that is loaded where it is shown. */
const { createHash } = require('node:crypto');
const { mkdirSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** `logo:NAME` is the address of a mark, `flags` tells those of all flags, and `world` is the outlines of countries. */
exports.drawings = (folder) => ({
  name: 'drawings',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^logo:/ }, ({ path }) => ({ path: `${path.slice('logo:'.length)}.svg`, namespace: 'logo' }));
    onLoad({ filter: /./, namespace: 'logo' }, ({ path }) => ({
      contents: logo(path.replace('.svg', '')),
      loader: 'file',
    }));
    onResolve({ filter: /^(flags|world)$/ }, ({ path }) => ({ path, namespace: 'drawing' }));
    onLoad({ filter: /^flags$/, namespace: 'drawing' }, () => ({ contents: flags(join(folder, 'assets')) }));
    onLoad({ filter: /^world$/, namespace: 'drawing' }, async () => ({ contents: await world() }));
  },
});

/** @throws Error for a name that the set has not */
function logo(name) {
  const { icons, width, height } = require('@iconify-json/logos/icons.json');
  const icon = icons[name];
  if (!icon) throw new Error(`There is no logo "${name}"`);
  const [wide, high] = [icon.width ?? width, icon.height ?? height];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}">${icon.body}</svg>`;
}

/** Writes a file for each country; their names share one hash, so that scripts need not hold hundreds. */
function flags(assets) {
  const source = join(dirname(require.resolve('country-flag-icons/package.json')), '3x2');
  const files = readdirSync(source)
    .filter((file) => /^[A-Z]{2}\.svg$/.test(file))
    .map((file) => [file.slice(0, 2), readFileSync(join(source, file), 'utf8')]);
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 8).toUpperCase();
  mkdirSync(assets, { recursive: true });
  for (const [code, content] of files) writeFileSync(join(assets, `${code}-${hash}.svg`), content);
  const codes = JSON.stringify(files.map(([code]) => code).join(' '));
  return `export const FLAG_CODES = ${codes}.split(' '); export const flagOf = (code) => '/console/assets/' + code + '-${hash}.svg';`;
}

const WIDTH = 800;
/** Of the circle in the place of a country that is too small for an outline. */
const RADIUS = 2.5;

/** The outlines of countries by their codes, from Natural Earth; Antarctica has no visitors. */
async function world() {
  const { geoEqualEarth, geoPath } = await import('d3-geo');
  const outlines = countries('110m');
  const projection = geoEqualEarth().fitWidth(WIDTH, { type: 'FeatureCollection', features: [...outlines.values()] });
  const path = geoPath(projection).digits(1);
  const shapes = Object.fromEntries([...outlines].map(([code, feature]) => [code, path(feature)]));
  for (const [code, feature] of countries('50m')) shapes[code] ??= circle(path.centroid(feature));
  const [[, top], [, bottom]] = path.bounds({ type: 'FeatureCollection', features: [...outlines.values()] });
  const viewBox = [0, Math.floor(top), WIDTH, Math.ceil(bottom - top)].join(' ');
  return `export const viewBox = ${JSON.stringify(viewBox)}; export const shapes = ${JSON.stringify(shapes)};`;
}

function countries(scale) {
  const { feature } = require('topojson-client');
  const topology = require(`world-atlas/countries-${scale}.json`);
  const codes = new Map(require('i18n-iso-countries/codes.json').map(([code, , number]) => [number, code]));
  const features = feature(topology, topology.objects.countries).features;
  const coded = features.map((each) => [each.properties.name === 'Kosovo' ? 'XK' : codes.get(each.id), each]);
  return new Map(coded.filter(([code]) => code !== undefined && code !== 'AQ'));
}

const circle = ([x, y]) =>
  `M${(x - RADIUS).toFixed(1)},${y.toFixed(1)}a${RADIUS},${RADIUS} 0 1,0 ${2 * RADIUS},0a${RADIUS},${RADIUS} 0 1,0 ${-2 * RADIUS},0Z`;
