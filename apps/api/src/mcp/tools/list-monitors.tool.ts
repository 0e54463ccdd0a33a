import { getSchemaPath } from '@nestjs/swagger';
import { PageSize, Text } from '../../http/fields';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { ListMonitors } from '../../monitors/get-status.query';
import { MonitorDto, monitorDto } from '../../monitors/monitor.dto';
import { organizationOf, tool } from '../tool';
import { FROM_PEOPLE } from './notes';

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
    monitors: list({ $ref: getSchemaPath(MonitorDto) }),
    total: whole,
    truncated: { ...yes, description: 'True if more monitors match; find them with `search`' },
    note: text,
  }),
  answer: async ({ search = '', limit }, { caller, queries }) => {
    const monitors = await queries.execute(new ListMonitors(organizationOf(caller), caller));
    const found = monitors.filter(({ name, url }) => `${name} ${url}`.toLowerCase().includes(search.toLowerCase()));
    return {
      monitors: found.slice(0, limit).map(monitorDto),
      total: found.length,
      truncated: found.length > limit,
      note: FROM_PEOPLE,
    };
  },
});
