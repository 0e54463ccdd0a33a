/** Finds the modules of the libraries, and TypeScript where a relative import names its compiled file. */
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');

const libraries = join(__dirname, '..', '..', 'libs');
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, parent, ...rest) {
  return resolve.call(this, sourceOf(request, parent) ?? request, parent, ...rest);
};

function sourceOf(request, parent) {
  const [, library, path] = /^@ledgerline\/(\w+)\/(.*)$/.exec(request) ?? [];
  if (library) return join(libraries, library, 'src', `${path}.ts`);
  if (!/^\.{1,2}\/.*\.js$/.test(request) || !parent?.filename?.endsWith('.ts')) return undefined;
  const source = join(dirname(parent.filename), request.replace(/\.js$/, '.ts'));
  return existsSync(source) ? source : undefined;
}
