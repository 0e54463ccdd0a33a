import { MONITOR_STATUSES, OVERALL_STATUSES } from '@ledgerline/domain/monitors/status';
import { omit } from '@ledgerline/domain/changes';
import { Id } from '../../http/fields';
import { list, object, text, yes } from '../../http/json-schema';
import { GetStatus } from '../../monitors/get-status.query';
import { organizationOf, tool } from '../tool';
import { FROM_PEOPLE } from './notes';

const MAX_LISTED = 100;

class GetStatusInput {
  @Id('Only this monitor, as list_monitors gives it', { optional: true })
  monitorId?: string;
}

const orNull = (type: string) => ({ type: [type, 'null'] });

const REPORT = object({
  id: text,
  name: text,
  currentStatus: { ...text, enum: MONITOR_STATUSES },
  lastCheckedAt: orNull('string'),
  failure: { ...orNull('string'), description: 'Why the newest check failed' },
  warning: { ...orNull('string'), description: 'What is not well although it is up' },
  detail: { ...orNull('string'), description: 'The failure or the warning in a sentence' },
  certificateExpiresAt: orNull('string'),
  downSince: orNull('string'),
  uptimePercentage: { ...orNull('number'), description: 'Of the last 90 days' },
});

export const getStatus = tool({
  name: 'get_status',
  title: 'Get the status of monitors',
  description:
    'How the monitors of this organization are now, those that are down first, or one of them. `degraded` = the newest ' +
    'check failed, was slow, or found a certificate that ends soon; `down` = at least two in a row; `unknown` = paused, or not checked lately; `maintenance` = under maintenance now. `query` answers how it was.',
  action: 'monitors:read',
  effect: 'read',
  input: GetStatusInput,
  output: object({
    overallStatus: { ...text, enum: OVERALL_STATUSES },
    monitors: list(REPORT),
    truncated: { ...yes, description: 'True if there are more monitors than shown' },
    note: text,
  }),
  answer: async ({ monitorId }, { caller, queries }) => {
    const { overallStatus, monitors } = await queries.execute(new GetStatus(organizationOf(caller), caller, monitorId));
    const worst = monitors.toSorted((a, b) => URGENCY.indexOf(a.currentStatus) - URGENCY.indexOf(b.currentStatus));
    return {
      overallStatus,
      monitors: worst.slice(0, MAX_LISTED).map((each) => omit(each, 'dailyData', 'downtimes')),
      truncated: monitors.length > MAX_LISTED,
      note: FROM_PEOPLE,
    };
  },
});

const URGENCY: readonly (typeof MONITOR_STATUSES)[number][] = ['down', 'degraded', 'maintenance', 'unknown', 'up'];
