import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { openProjectionPool } from '../../../apps/projector/src/open-pool';
import type { RebuildStageProgress as RebuildProgress } from '../../../apps/projector/src/rebuild/catch-up';
import { rebuild } from '../../../apps/projector/src/rebuild/rebuild';
import { boundGroups } from '../../../apps/projector/src/runner/bound-group';

export interface Rebuilt {
  /** Until its tables were complete and level with the live ones, sealed days included; without the comparison. */
  readonly fillSeconds: number;
  readonly wholeSeconds: number;
  /** The longest of all groups. */
  readonly flipMs: number;
  /** Tables that were not equal, row for row. */
  readonly differences: number;
  /** The memory of the process, at its peak. */
  readonly peakMb: number;
  /** The seconds of CPU of the process. */
  readonly cpuSeconds: number;
}

export interface Progress {
  readonly group: string;
  readonly written: number;
  readonly total: number;
}

/** A separate process, so that its memory can be measured: rebuilds every group as `npm run projections` does. */
async function main(): Promise<Rebuilt> {
  const databaseUrl = storesForTools(process.env).databaseUrl;
  const eventStore = await openEventStore({ databaseUrl });
  const intakeLog = await openIntakeLog({ databaseUrl });
  const pool = openProjectionPool(databaseUrl);
  let fillSeconds = 0;
  let wholeSeconds = 0;
  let flipMs = 0;
  let differences = 0;
  for (const group of boundGroups({ eventStore, intakeLog, pool })) {
    const startedAt = performance.now();
    let filledAt = startedAt;
    const onProgress = ({ stage, done, total }: RebuildProgress) => {
      filledAt = performance.now();
      process.send?.({ group: `${group.name}: ${stage}`, written: done, total } satisfies Progress);
    };
    const result = await rebuild({ group, flip: true, onProgress });
    fillSeconds += (filledAt - startedAt) / 1000;
    wholeSeconds += (performance.now() - startedAt) / 1000;
    flipMs = Math.max(flipMs, result.flipMs);
    differences += result.differences?.length ?? 0;
  }
  await Promise.all([eventStore.close(), intakeLog.close(), pool.end()]);
  const { user, system } = process.cpuUsage();
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return { fillSeconds, wholeSeconds, flipMs, differences, peakMb, cpuSeconds: (user + system) / 1e6 };
}

void main().then((rebuilt) => process.send?.(rebuilt, () => process.exit(0)));
