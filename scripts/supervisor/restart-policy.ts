/** How a process died: when (ms), and whether it had been ready before. */
export interface Death {
  readonly at: number;
  readonly wasReady: boolean;
}

export interface RestartPolicy {
  /** Milliseconds to wait before each new start; the last one is repeated. */
  readonly delaysMs: readonly number[];
  /** This many deaths within `withinMs` are too many; so are this many in a row that never became ready. */
  readonly deaths: number;
  readonly withinMs: number;
  /** Fewer tries are made for a process that was never ready at all: something is set up wrongly. */
  readonly deathsBeforeFirstReady: number;
}

export const DEFAULT_POLICY: RestartPolicy = {
  delaysMs: [200, 500, 1_000, 2_000, 5_000],
  deaths: 5,
  withinMs: 60_000,
  deathsBeforeFirstReady: 2,
};

/** How long to wait before the next start, or undefined if the process has failed too often and is given up. */
export function nextStart(policy: RestartPolicy, deaths: readonly Death[]): number | undefined {
  const last = deaths.at(-1);
  if (!last) return 0;
  const recent = deaths.filter(({ at }) => last.at - at < policy.withinMs).length;
  const withoutReady = deaths.length - 1 - deaths.findLastIndex(({ wasReady }) => wasReady);
  const everReady = deaths.some(({ wasReady }) => wasReady);
  const allowed = everReady ? policy.deaths : policy.deathsBeforeFirstReady;
  if (Math.max(recent, withoutReady) >= allowed) return undefined;
  return policy.delaysMs[Math.min(Math.max(recent, withoutReady), policy.delaysMs.length) - 1];
}
