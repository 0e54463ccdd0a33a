const { default: Sequencer } = require('@jest/test-sequencer');

/** On a clean clone jest has no recorded durations: what takes longest (whole products, random traffic) is named here. */
const SLOW = /\/test\/(journeys|reliability|oracle|query|openapi|access)\/|reconcile|eventstoredb|kafka|docker\/images/;

module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(({ path }) => SLOW.test(path)), ...sorted.filter(({ path }) => !SLOW.test(path))];
  }
};
