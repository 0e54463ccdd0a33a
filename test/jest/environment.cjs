/** The environment of spec files that share one realm: its constructors and timers are those of the process. */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

/** What matchers such as expect.any() compare with. */
const CONSTRUCTORS = {
  Array,
  BigInt,
  Boolean,
  Date,
  Error,
  Function,
  Map,
  Number,
  Object,
  Promise,
  RegExp,
  Set,
  String,
  Symbol,
};

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, CONSTRUCTORS);
    const global = new Proxy(globalThis, {}); // timers of node:timers/promises stay real: only those of globalThis itself are faked with them
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global });
  }
};
