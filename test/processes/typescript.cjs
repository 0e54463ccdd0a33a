/** Lets a program of the tests, which no jest runs, load TypeScript. */
const Module = require('node:module');
const { transformFileSync } = require('@swc/core');
const { swcOptions } = require('../../scripts/swc-options.cjs');
require('../jest/resolve.cjs');

Module._extensions['.ts'] = (module, file) =>
  module._compile(transformFileSync(file, { ...swcOptions, module: { type: 'commonjs' } }).code, file);
