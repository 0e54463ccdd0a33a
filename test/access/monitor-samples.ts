import { monitorOf } from './records';
import { creates, listWith, MONITOR, ofOrganization, onMonitor } from './requests';
import type { Sample } from './scene';

/** The samples of monitors, by line of the rules. */
export const MONITOR_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/monitors': {
    path: ofOrganization('/v1/monitors'),
    answer: ({ ours, ids }) => listWith(monitorOf(ours, { id: ids.monitorId })),
  },
  'GET /v1/monitors/status': {
    path: ofOrganization('/v1/monitors/status'),
    answer: ({ ids }) => listWith(expect.objectContaining({ id: ids.monitorId, currentStatus: 'unknown' }) as object),
  },
  'GET /v1/monitors/:id': {
    path: ({ ids }) => `/v1/monitors/${ids.monitorId}`,
    answer: ({ ours, ids }) => monitorOf(ours, { id: ids.monitorId }),
  },
  'PATCH /v1/monitors/:id': {
    ...onMonitor,
    body: () => ({ paused: true }),
    answer: ({ ours, ids }) => monitorOf(ours, { id: ids.monitorId, paused: true }),
  },
  'DELETE /v1/monitors/:id': { ...onMonitor, answer: () => ({}) },
  'POST /v1/monitors': creates('/v1/monitors', MONITOR, ({ ours }) => monitorOf(ours)),
};
