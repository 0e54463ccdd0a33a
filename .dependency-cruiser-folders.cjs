/** No cycles between folders either. Specs do not count: they stand beside the code and use test/, which uses the code. */
const { options } = require('./.dependency-cruiser.cjs');

module.exports = {
  forbidden: [{ name: 'no-folder-cycles', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: { ...options, exclude: { path: '\\.spec\\.ts$' } },
};
