require('../jest/resolve.cjs');

module.exports = async () => require('./start.ts').default();
