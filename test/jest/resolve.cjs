/** Finds the modules of the libraries and the helpers of the tests, and TypeScript where a relative import names its compiled file. */
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');

const tests = join(__dirname, '..');
const libraries = join(tests, '..', 'libs');
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, parent, ...rest) {
  return resolve.call(this, sourceOf(request, parent) ?? request, parent, ...rest);
};

function sourceOf(request, parent) {
  const [, library, path] = /^@ledgerline\/(\w+)\/(.*)$/.exec(request) ?? [];
  if (library) return join(libraries, library, 'src', `${path}.ts`);
  if (request === '@ledgerline/client') return join(libraries, 'client', 'src', 'client.ts');
  if (request.startsWith('@test/')) return join(tests, `${request.slice('@test/'.length)}.ts`);
  if (!/^\.{1,2}\/.*\.js$/.test(request) || !parent?.filename?.endsWith('.ts')) return undefined;
  const source = join(dirname(parent.filename), request.replace(/\.js$/, '.ts'));
  return existsSync(source) ? source : undefined;
}
