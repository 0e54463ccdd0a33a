import { list, object, text, whole } from '../http/json-schema';
import { COPIER_REPORT } from './copier-report';
import { DEGRADATIONS } from './degradations';
import { PROCESS_REPORT } from './process-reports';

const PROJECTION = object(
  {
    group: text,
    store: { ...whole, description: 'The place of its read store; absent for the registry' },
    version: whole,
    status: {
      ...text,
      enum: ['ok', 'stopped', 'rebuilding', 'differs', 'parked'],
      description:
        'rebuilding: tables are filled beside those that answer · differs: they are filled, and wait to be accepted · parked: they wait until events that failed in them are retried or accepted',
    },
    reason: text,
    events: whole,
    rebuilt: { ...whole, description: 'How many of the events are in the version that is filled beside it' },
    pending: { ...list(text), description: 'Tables that are filled after an upgrade; absent when there are none' },
    asOf: { type: ['string', 'null'], format: 'date-time' },
    lagMs: whole,
    parked: {
      ...whole,
      description: 'Events that it left out because they failed, until an operator has seen to them',
    },
  },
  'store',
  'reason',
  'rebuilt',
  'parked',
  'pending',
);
const READ_STORE = object({ store: whole, status: { ...text, enum: ['ok', 'empty', 'down'] } });
const SEALING_FAULT = object({ organization: text, reason: text, since: { ...text, format: 'date-time' } });
const DEGRADATION = object(
  {
    kind: {
      ...text,
      enum: [...DEGRADATIONS],
      description:
        'parked: events that a projection left out because they failed · unreconciled: tables that differ from the log · process: one has no heartbeat, or none of a program runs · store: a process cannot read or write one · lag: answers do not include what is older than eight seconds · monitors: their checks are overdue · sealing: events of organizations are not sealed',
    },
    group: { ...text, description: 'A group of projections, or what else it is about: a program or a store' },
    store: whole,
    reason: text,
    since: { ...text, format: 'date-time' },
  },
  'store',
  'since',
);
/** What operators read. */
export const REPORT = object(
  {
    status: {
      ...text,
      enum: ['ok', 'degraded', 'unavailable'],
      description:
        'degraded: websites and links of a read store that is not ok are refused, or query types whose tables are being rebuilt, or `degradations` says what is missing',
    },
    reason: text,
    eventStore: { ...text, enum: ['ok', 'down'], description: 'down: this api cannot read it, or cannot write to it' },
    database: { ...text, enum: ['ok', 'down'], description: 'down: this api cannot read it, or cannot write to it' },
    readStores: list(READ_STORE),
    projections: list(PROJECTION),
    processes: {
      ...list(PROCESS_REPORT),
      description: 'By their heartbeats; one that ended without removing itself is shown for five minutes',
    },
    copier: COPIER_REPORT,
    sealing: {
      ...list(SEALING_FAULT),
      description: 'Organizations whose events are not sealed, at most 100; absent when there are none',
    },
    degradations: {
      ...list(DEGRADATION),
      description: 'What an operator has to see to, while everything is answered; absent when there is nothing',
    },
  },
  'reason',
  'copier',
  'sealing',
  'degradations',
);

/** What everybody may read: the members of the report that are not required are for operators. */
export const PUBLIC_REPORT = {
  ...REPORT,
  properties: {
    ...REPORT.properties,
    projections: list({ ...PROJECTION, required: ['group', 'status', 'lagMs'] }),
    degradations: list({ ...DEGRADATION, required: ['kind', 'group'] }),
  },
  required: ['status', 'eventStore', 'database', 'readStores', 'projections'],
};
