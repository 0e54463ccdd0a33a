import { Rejection } from '@ledgerline/contracts/errors/rejection';
import {
  MONITOR_INTERVAL,
  MONITOR_TIMEOUT,
  type MonitorCreated,
  type MonitorDetails,
  type MonitorEvent,
  type MonitorSettings,
} from '@ledgerline/contracts/events/monitor.events';
import { type RecordLifecycle, requireExisting, type Command, applyChanges, decider, omit } from '../decider';
import { isWebAddress } from '../links/link-addresses';

export type MonitorCommand = CreateMonitor | UpdateMonitor | DeleteMonitor;
export type CreateMonitor = Command<'CreateMonitor', MonitorCreated['data']>;
export type UpdateMonitor = Command<'UpdateMonitor', { changes: Partial<MonitorSettings> }>;
export type DeleteMonitor = Command<'DeleteMonitor', object>;

/** The defaults of a monitor. */
export const plainMonitor = {
  method: 'GET',
  intervalSeconds: MONITOR_INTERVAL.default,
  timeoutSeconds: MONITOR_TIMEOUT.default,
  expectedStatus: null,
  expectedText: null,
  unwantedText: null,
  slowAfterMs: null,
  certificateDays: null,
  ignoreTlsErrors: false,
  body: null,
  headerNames: [],
  sealedHeaders: null,
  paused: false,
} as const satisfies Omit<MonitorSettings, 'name' | 'url'>;

type Monitor = RecordLifecycle<MonitorCreated['data']>;

export const monitor = decider<Monitor, MonitorCommand, MonitorEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateMonitor({ status }, data) {
      if (status !== 'absent') throw new Rejection('MONITOR_EXISTS');
      assertValid(data);
      return [{ type: 'MonitorCreated', data }];
    },
    UpdateMonitor(state, { changes }) {
      const data = applyChanges(requireExisting(state, 'MONITOR_NOT_FOUND'), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'MonitorUpdated', data }];
    },
    DeleteMonitor: (state) => [
      { type: 'MonitorDeleted', data: omit(requireExisting(state, 'MONITOR_NOT_FOUND'), 'sealedHeaders') },
    ],
  },

  evolve: {
    MonitorCreated: (_, details) => ({ status: 'present', details }),
    MonitorUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    MonitorDeleted: () => ({ status: 'deleted' }),
  },
});

function assertValid({ url, method, expectedText, unwantedText, body }: MonitorDetails): void {
  if (!isWebAddress(url)) throw new Rejection('ADDRESS_INVALID', 'url');
  if (method === 'HEAD' && expectedText !== null) throw new Rejection('MONITOR_TEXT_INVALID', 'expectedText');
  if (method === 'HEAD' && unwantedText !== null) throw new Rejection('MONITOR_TEXT_INVALID', 'unwantedText');
  if (method !== 'POST' && body !== null) throw new Rejection('MONITOR_BODY_INVALID', 'body');
}
