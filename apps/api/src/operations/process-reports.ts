import {
  APPS,
  type App,
  type ProcessRow,
  STORES,
  type StoreState,
  isSilentProcess,
} from '@ledgerline/platform/processes/store-checks';
import { object, text, whole } from '../http/record.dto';
import { formatSeconds, type Degradation } from './degradations';

/** One running process; its host is in the metrics, as this report is public. */
export interface ProcessReport {
  readonly app: App;
  readonly pid: number;
  /** silent: it sends no heartbeat. */
  readonly status: 'ok' | 'silent';
  /** Since its last heartbeat. */
  readonly silentMs: number;
  /** The stores that it could not read or write when it tried last; absent when there is nothing. */
  readonly failing?: readonly StoreState[];
}

export const processReports = (rows: readonly ProcessRow[]): ProcessReport[] =>
  rows.map(({ app, pid, silentMs, stores }) => {
    const failing = stores.filter(({ reason }) => reason !== null);
    const status = isSilentProcess({ silentMs }) ? 'silent' : 'ok';
    return { app, pid, status, silentMs: Math.round(silentMs), ...(failing.length === 0 ? {} : { failing }) };
  });

/** Sentences about what is missing while none of a program runs; every api reports about itself. */
const WITHOUT = {
  tracker: 'hits and clicks are not recorded',
  projector: 'answers get older, and no monitor is checked',
} as const;

/** Returns degradations of processes whose heartbeat stopped, and of programs of which none runs. */
export function processDegradations(rows: readonly ProcessRow[]): Degradation[] {
  const silent = rows.filter(isSilentProcess).map(({ app, pid, silentMs }): Degradation => {
    const others = app === 'api' || rows.some((row) => row.app === app && !isSilentProcess(row));
    const consequence = others ? '' : ` No other one runs, so ${WITHOUT[app]}.`;
    const reason = `Process ${pid} has sent no heartbeat for ${formatSeconds(silentMs)}: it hangs, was ended, or does not reach the database.${consequence}`;
    return { kind: 'process', group: app, reason };
  });
  const missing = (['tracker', 'projector'] as const).filter((app) => !rows.some((row) => row.app === app));
  return [
    ...silent,
    ...missing.map((app): Degradation => {
      return { kind: 'process', group: app, reason: `No ${app} runs, so ${WITHOUT[app]}.` };
    }),
  ];
}

const NAMES: Readonly<Record<StoreState['store'], string>> = {
  database: 'the database',
  event_store: 'the event store',
  read_store: 'read store',
  kafka: 'Kafka',
  click_spool: 'its spool of clicks',
};

/** Returns degradations of what processes cannot read or write: one for each program, store and operation. */
export function storeDegradations(reports: readonly ProcessReport[]): Degradation[] {
  const found = new Map<string, { readonly state: StoreState; readonly app: App; count: number }>();
  for (const { app, status, failing = [] } of reports) {
    for (const state of status === 'ok' ? failing : []) {
      const key = `${app} ${state.store} ${state.place ?? ''} ${state.operation}`;
      const one = found.get(key) ?? { state, app, count: 0 };
      one.count += 1;
      found.set(key, one);
    }
  }
  return [...found.values()].map(({ state, app, count }) => {
    const { store, place, operation, reason, since } = state;
    const subject = count === 1 ? `${app === 'api' ? 'An' : 'A'} ${app}` : `${count} ${app}s`;
    const name = place === undefined ? NAMES[store] : `${NAMES[store]} ${place}`;
    return {
      kind: 'store',
      group: store,
      ...(place === undefined ? {} : { store: place }),
      reason: `${subject} cannot ${operation === 'write' ? 'write to' : 'read'} ${name}: ${reason ?? ''}`,
      ...(since === null ? {} : { since }),
    };
  });
}

const STORE_STATE = object(
  {
    store: { ...text, enum: [...STORES] },
    place: { ...whole, description: 'Of a read store' },
    operation: { ...text, enum: ['read', 'write'] },
    reason: { type: ['string', 'null'] },
    since: { type: ['string', 'null'], format: 'date-time' },
    holdsClicks: { type: 'boolean', description: 'Of a click spool: clicks wait in it that the log did not take' },
  },
  'place',
  'holdsClicks',
);

export const PROCESS_REPORT = object(
  {
    app: { ...text, enum: [...APPS] },
    pid: whole,
    status: { ...text, enum: ['ok', 'silent'], description: 'silent: it sends no heartbeat' },
    silentMs: { ...whole, description: 'Since its last heartbeat' },
    failing: {
      type: 'array',
      items: STORE_STATE,
      description: 'What it could not read or write when it tried last; absent when there is nothing',
    },
  },
  'failing',
);
