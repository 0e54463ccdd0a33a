/** Jest on Node 20 cannot require ES modules: SWC compiles TypeScript and every ES module it meets to CommonJS. */
const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { transformSync, version } = require('@swc/core');

const types = new Map();

function moduleType(folder) {
  const known = types.get(folder);
  if (known) return known;
  const manifest = join(folder, 'package.json');
  const parent = dirname(folder);
  let type = 'commonjs';
  if (existsSync(manifest)) type = JSON.parse(readFileSync(manifest, 'utf8')).type ?? 'commonjs';
  else if (parent !== folder) type = moduleType(parent);
  types.set(folder, type);
  return type;
}

const isEsModule = (file) => file.endsWith('.mjs') || (file.endsWith('.js') && moduleType(dirname(file)) === 'module');

const options = (filename, isTypeScript) => ({
  filename,
  sourceMaps: 'inline',
  swcrc: false,
  configFile: false,
  module: { type: 'commonjs', ignoreDynamic: false },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: isTypeScript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' },
    transform: { legacyDecorator: true, decoratorMetadata: true, hidden: { jest: isTypeScript } },
  },
});

module.exports = {
  process(source, filename) {
    const isTypeScript = /\.[cm]?ts$/.test(filename);
    if (!isTypeScript && !isEsModule(filename)) return { code: source };
    return transformSync(source, options(filename, isTypeScript));
  },
  getCacheKey: (source, filename) =>
    createHash('sha1').update(source).update('\0').update(filename).update('\0').update(version).digest('hex'),
};
