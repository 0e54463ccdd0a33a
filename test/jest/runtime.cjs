/**
 * Runs spec files in the realm of the process, where the product, its dependencies and the helpers of the tests are
 * loaded once for each worker: loading them anew for each spec file took half of the time of the tests.
 */
require('./resolve.cjs');
const asyncHooks = require('node:async_hooks');
const Module = require('node:module');
const threads = require('node:worker_threads');
const { default: Runtime } = require('jest-runtime');

/** Helpers that register hooks when they are loaded are loaded for each spec file. */
const LOADED_ANEW = /\.(spec|hooks)\.ts$/;
/**
 * For jest-circus, which is loaded for each spec file, as it keeps the tests of one: an AsyncLocalStorage of each would
 * make every promise of the process slower from then on.
 */
const asyncHooksOfCircus = { ...asyncHooks, AsyncLocalStorage: oneForAll(asyncHooks.AsyncLocalStorage) };
const sourceMaps = new Map();
let transformer;

Module._extensions['.ts'] = (module, file) => {
  const { code, sourceMapPath } = transformer.transform(file, { isInternalModule: false });
  if (sourceMapPath) sourceMaps.set(file, sourceMapPath);
  module._compile(code, file);
};

threads.Worker = class extends threads.Worker {
  constructor(file, { execArgv = process.execArgv, ...options } = {}) {
    super(file, { ...options, execArgv: [...execArgv, '--require', require.resolve('./typescript-in-threads.cjs')] });
  }
};

module.exports = class extends Runtime {
  constructor(config, environment, resolver, scriptTransformer, ...rest) {
    super(config, environment, resolver, scriptTransformer, ...rest);
    transformer = scriptTransformer;
  }

  /** Called with the path of a spec file alone, and with a name for the modules of jest itself. */
  requireModule(from, name, options, ...rest) {
    if (name !== undefined || options?.isInternalModule) return super.requireModule(from, name, options, ...rest);
    Object.assign(globalThis, this.requireModuleOrMock(from, '@jest/globals'));
    for (const file of Object.keys(require.cache)) if (LOADED_ANEW.test(file)) delete require.cache[file];
    return Module._load(from, null, false);
  }

  /** The modules of jest that circus uses are loaded once. */
  requireInternalModule(from, name) {
    if (name === 'node:async_hooks') return asyncHooksOfCircus;
    return name === undefined ? super.requireInternalModule(from) : Module.createRequire(from)(name);
  }

  getSourceMaps() {
    return sourceMaps;
  }
};

function oneForAll(Class) {
  const one = new Class();
  return function () {
    return one;
  };
}
