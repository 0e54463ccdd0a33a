/** SWC compiles TypeScript to CommonJS. */
const { createHash } = require('node:crypto');
const { transformSync, version } = require('@swc/core');

const OPTIONS = {
  sourceMaps: 'inline',
  swcrc: false,
  configFile: false,
  module: { type: 'commonjs', ignoreDynamic: false },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

module.exports = {
  process: (source, filename) => transformSync(source, { ...OPTIONS, filename }),
  getCacheKey: (source, filename) =>
    createHash('sha1').update(source).update('\0').update(filename).update('\0').update(version).digest('hex'),
};
