import { MONITOR_STATUSES, OVERALL_STATUSES } from '@ledgerline/domain/monitors/status';
import { INCIDENT_SEVERITIES, INCIDENT_STATUSES } from '@ledgerline/contracts/events/incident.events';
import { list, object, text } from '../../http/json-schema';
import { MONITOR_DAY } from '../../monitors/monitor-report.dto';

const orNull = (type: string) => ({ type: [type, 'null'] });
const timeOrNull = { ...orNull('string'), format: 'date-time' };
const time = { ...text, format: 'date-time' };

const MONITOR = object({
  id: text,
  name: text,
  currentStatus: { ...text, enum: MONITOR_STATUSES },
  lastCheckedAt: timeOrNull,
  uptimePercentage: { ...orNull('number'), description: 'Of all days' },
  dailyData: { ...list(MONITOR_DAY), description: '90 days of UTC up to today' },
});

const INCIDENT = object({
  id: { ...text, description: 'Of a maintenance that repeats: of this occurrence' },
  title: text,
  status: { ...text, enum: INCIDENT_STATUSES },
  severity: { ...text, enum: INCIDENT_SEVERITIES },
  createdAt: time,
  resolvedAt: timeOrNull,
  startsAt: { ...timeOrNull, description: 'Of a planned maintenance' },
  endsAt: timeOrNull,
  repeats: { ...orNull('string'), description: 'When a maintenance takes place again, in a sentence' },
  updates: list(object({ at: time, status: { ...text, enum: INCIDENT_STATUSES }, message: text })),
});

/** The schema of a status report. */
export const STATUS_REPORT = object({
  name: text,
  description: orNull('string'),
  timezone: { ...text, description: 'IANA; of the times that the page shows' },
  updatedAt: { ...time, description: 'When the page itself was changed last' },
  overallStatus: { ...text, enum: OVERALL_STATUSES },
  monitors: list(MONITOR),
  incidents: list(INCIDENT),
});
