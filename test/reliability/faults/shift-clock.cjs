/** Loaded before an app: its clock is off by as many ms as the file says that CLOCK_OFFSET_FILE names; timers are not. */
const { readFileSync } = require('node:fs');

const LOOK_AGAIN_MS = 100;
const Clock = Date;
let offset = 0;
let lookedAt = -Infinity;

function now() {
  if (performance.now() - lookedAt > LOOK_AGAIN_MS) {
    lookedAt = performance.now();
    offset = Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));
  }
  return Clock.now() + offset;
}

globalThis.Date = new Proxy(Clock, {
  construct: (_, args, target) => Reflect.construct(Clock, args.length === 0 ? [now()] : args, target),
  apply: () => new Clock(now()).toString(),
  get: (_, name) => (name === 'now' ? now : Reflect.get(Clock, name)),
});
