/** SWC compiles TypeScript to CommonJS. */
const { createHash } = require('node:crypto');
const { transformSync, version } = require('@swc/core');
const { swcOptions } = require('../../scripts/swc-options.cjs');

const OPTIONS = { ...swcOptions, sourceMaps: 'inline', module: { type: 'commonjs', ignoreDynamic: false } };

module.exports = {
  process: (source, filename) => transformSync(source, { ...OPTIONS, filename }),
  getCacheKey: (source, filename) =>
    createHash('sha1').update(source).update('\0').update(filename).update('\0').update(version).digest('hex'),
};
