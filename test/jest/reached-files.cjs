/**
 * Loads the product so that every function first says of which file it is. What a call reaches is told apart from all that
 * runs beside it by the asynchronous context; threads do nothing but what calls ask of them.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { globSync } = require('tinyglobby');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { setEnvironmentData } = require('node:worker_threads');
const ts = require('typescript');
const { process: compile } = require('./swc-transformer.cjs');

const root = join(__dirname, '..', '..');
/** By their numbers. */
const FILES = globSync(['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', '!**/*.spec.ts'], { cwd: root }).sort();
const numbers = new Map(FILES.map((file, number) => [join(root, file), number]));
/** Flags of files, in data that threads inherit. */
const IN_THREADS = 'reached files';

/** Loads a helper, and the product for it alone, with an observer of its calls; `unload()` ends it. */
exports.loadObserved = (helper) => {
  const calls = new AsyncLocalStorage();
  const inThreads = new Uint8Array(new SharedArrayBuffer(FILES.length));
  setEnvironmentData(IN_THREADS, inThreads.buffer);
  globalThis.reachedFile = (number) => calls.getStore()?.add(number);
  const before = { load: Module._extensions['.ts'], modules: takeModules() };
  loadProductObserved();
  return {
    helper: require(helper),
    observer: {
      async reachedBy(call) {
        const reached = new Set();
        inThreads.fill(0);
        await calls.run(reached, call);
        inThreads.forEach((isReached, number) => isReached && reached.add(number));
        return Array.from(reached, (number) => FILES[number]);
      },
      outside: (work) => calls.exit(work),
    },
    unload() {
      Module._extensions['.ts'] = before.load;
      setEnvironmentData(IN_THREADS, undefined);
      takeModules();
      Object.assign(require.cache, before.modules);
    },
  };
};

/** In a thread that such a product has started. */
exports.observeThread = (flags) => {
  const inThread = new Uint8Array(flags);
  globalThis.reachedFile = (number) => (inThread[number] = 1);
  loadProductObserved();
};

function loadProductObserved() {
  const load = Module._extensions['.ts'];
  Module._extensions['.ts'] = (module, file) => {
    const number = numbers.get(file);
    if (number === undefined) return load(module, file);
    module._compile(compile(observed(readFileSync(file, 'utf8'), number), file).code, file);
  };
}

/** A file whose functions begin with saying so. */
function observed(source, number) {
  const call = `reachedFile(${number})`;
  const inserts = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      if (ts.isBlock(node.body)) inserts.push([node.body.getStart() + 1, `${call};`]);
      else inserts.push([node.body.getStart(), `(${call}, `], [node.body.end, ')']);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', source, ts.ScriptTarget.Latest, true));
  inserts.sort(([one], [other]) => one - other);
  let [text, at] = ['', 0];
  for (const [position, insert] of inserts) {
    text += source.slice(at, position) + insert;
    at = position;
  }
  return text + source.slice(at);
}

/** All TypeScript that is loaded, which is loaded anew when it is required. */
function takeModules() {
  const modules = Object.entries(require.cache).filter(
    ([file]) => file.endsWith('.ts') && !file.includes('node_modules'),
  );
  for (const [file] of modules) delete require.cache[file];
  return Object.fromEntries(modules);
}
