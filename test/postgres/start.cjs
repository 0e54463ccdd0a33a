/** Jest maps our module names in specs only; here they are mapped for the start of the test run. */
const Module = require('node:module');
const { join } = require('node:path');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const [, library, path] = /^@ledgerline\/(\w+)\/(.*)$/.exec(request) ?? [];
  const file = library ? join(__dirname, '..', '..', 'libs', library, 'src', `${path}.ts`) : request;
  return resolve.call(this, file, ...rest);
};

module.exports = async () => require('./start.ts').default();
