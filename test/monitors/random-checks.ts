import fc from 'fast-check';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';

const FAILURES = ['timeout', 'status', 'connection'] as const;

/** One check of a monitor; the id follows from monitor and time, as in real life. */
export function monitorCheck(
  monitorId: string,
  at: number,
  more: Partial<MonitorChecked['data']> = {},
): MonitorChecked {
  const up = more.up ?? true;
  return {
    type: 'MonitorChecked',
    id: derivedEventId(monitorId, 'MonitorChecked', String(at)),
    at,
    receivedAt: at + 20,
    data: {
      organizationId: 'org_1',
      monitorId,
      dueAt: at,
      intervalSeconds: 60,
      up,
      status: up ? 200 : 500,
      durationMs: 20,
      failure: up ? null : 'status',
      maintenance: false,
      resumed: false,
      warning: null,
      detail: null,
      certificateExpiresAt: null,
      ...more,
    },
  };
}

/** Steps between two checks: the interval mostly, at times a pause, a long one, or a check that comes late. */
const minutes = fc.oneof(
  { weight: 12, arbitrary: fc.constant(1) },
  { weight: 2, arbitrary: fc.integer({ min: 2, max: 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 900 }) },
  { weight: 1, arbitrary: fc.constant(-1) },
);

const step = fc.record({
  n: fc.integer({ min: 1, max: 2 }),
  minutes,
  // in runs, so that there are downtimes
  ups: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
  durationMs: fc.integer({ min: 0, max: 10_000 }),
  failure: fc.constantFrom(...FAILURES),
  maintenance: fc.nat({ max: 9 }).map((each) => each === 0),
  resumed: fc.nat({ max: 5 }).map((each) => each === 0),
  warning: fc.constantFrom(null, 'slow' as const, 'certificate' as const),
});

/** Checks of two monitors from `start` (epoch ms) on, in the order of the log; ids and times are different. */
export const randomChecks = (start: number, idOf: (n: number) => string): fc.Arbitrary<readonly MonitorChecked[]> =>
  fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }).map((steps) => {
    const at = new Map<number, number>();
    const checks = new Map<string, MonitorChecked>();
    for (const { n, minutes: between, ups, durationMs, failure, maintenance, resumed, warning } of steps)
      for (const [nth, up] of ups.entries()) {
        const now = (at.get(n) ?? start) + (nth === 0 ? between : 1) * 60_000;
        at.set(n, now);
        const result = up ? { failure: null, warning, detail: warning } : { failure, detail: failure };
        const more = { up, durationMs, ...result, maintenance, resumed: resumed && nth === 0 };
        const check = monitorCheck(idOf(n), now, more);
        checks.set(check.id, check);
      }
    return [...checks.values()];
  });
