import { MONITOR_STATUSES } from '@ledgerline/domain/monitors/status';
import { list, object, text, whole, yes } from '../http/json-schema';

const orNull = (type: string) => ({ type: [type, 'null'] });
const timeOrNull = { ...orNull('string'), format: 'date-time' };
const epochOrNull = { type: ['integer', 'null'] };

export const MONITOR_DAY = object({
  date: { ...text, format: 'date' },
  uptime_percentage: { ...orNull('number'), description: 'Null = no check counts' },
  total_checks: whole,
  avg_response_time: { ...orNull('number'), description: 'In ms, of checks that did not fail' },
  p95_response_time: { ...orNull('number'), description: 'Within 1 %' },
});

const MONITOR_REPORT = object({
  id: text,
  name: text,
  currentStatus: { ...text, enum: MONITOR_STATUSES },
  lastCheckedAt: timeOrNull,
  failure: { ...orNull('string'), description: 'Why the newest check failed' },
  warning: { ...orNull('string'), description: 'What is not well although it is up: slow, certificate or tls' },
  detail: { ...orNull('string'), description: 'The failure or the warning in a sentence' },
  certificateExpiresAt: timeOrNull,
  downSince: timeOrNull,
  uptimePercentage: { ...orNull('number'), description: 'Of all days' },
  dailyData: { ...list(MONITOR_DAY), description: '90 days of UTC up to today' },
  downtimes: {
    ...list(object({ startedAt: whole, endedAt: epochOrNull })),
    description: 'In ms of Unix time, the oldest first; null = it goes on',
  },
});

/** The schema of the reports on the monitors of an organization. */
export const MONITOR_REPORTS = object({ success: yes, data: list(MONITOR_REPORT), total: whole });
