/** Required first by worker threads of the tests: they run the same TypeScript as the spec files. */
require('./resolve.cjs');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { getEnvironmentData } = require('node:worker_threads');
const { process: compile } = require('./swc-transformer.cjs');

Module._extensions['.ts'] = (module, file) => {
  module._compile(compile(readFileSync(file, 'utf8'), file).code, file);
};
const reached = getEnvironmentData('reached files');
if (reached) require('./reached-files.cjs').observeThread(reached);
