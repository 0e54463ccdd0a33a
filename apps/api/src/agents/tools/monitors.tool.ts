import { getSchemaPath } from '@nestjs/swagger';
import { omit } from '@ledgerline/domain/decider';
import { MONITOR_STATUSES, OVERALL_STATUSES } from '@ledgerline/domain/monitors/status';
import { ListRecords } from '../../commands/resource.queries';
import { Id, PageSize, Text } from '../../http/fields';
import { arraySchema, object, text, whole, yes } from '../../http/record.dto';
import { GetStatus } from '../../status/monitor-statuses';
import { MonitorDto, Monitors } from '../../status/monitors';
import { FROM_PEOPLE, callerOrganization, tool } from '../tool';

class ListMonitorsInput {
  @Text(1, 255, { description: 'Only monitors with this text in their name or address', optional: true })
  search?: string;

  @PageSize(20, 50)
  limit = 20;
}

export const listMonitors = tool({
  name: 'list_monitors',
  title: 'List monitors',
  description:
    'The addresses that are checked for this organization, oldest first, with the ids that `query` and `get_status` take. ' +
    '`total` counts all that match.',
  action: 'monitors:read',
  effect: 'read',
  input: ListMonitorsInput,
  output: object({
    monitors: arraySchema({ $ref: getSchemaPath(MonitorDto) }),
    total: whole,
    truncated: { ...yes, description: 'True if more monitors match; find them with `search`' },
    note: text,
  }),
  answer: async ({ search = '', limit }, { caller, queries }) => {
    const monitors = await queries.execute(
      new ListRecords(Monitors, { organizationId: callerOrganization(caller) }, caller),
    );
    const found = monitors.filter(({ name, url }) => `${name} ${url}`.toLowerCase().includes(search.toLowerCase()));
    return {
      monitors: found.slice(0, limit),
      total: found.length,
      truncated: found.length > limit,
      note: FROM_PEOPLE,
    };
  },
});

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
    monitors: arraySchema(REPORT),
    truncated: { ...yes, description: 'True if there are more monitors than shown' },
    note: text,
  }),
  answer: async ({ monitorId }, { caller, queries }) => {
    const { overallStatus, monitors } = await queries.execute(
      new GetStatus(callerOrganization(caller), caller, monitorId),
    );
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
