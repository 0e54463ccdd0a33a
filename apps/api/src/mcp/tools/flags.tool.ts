import { FlagDto } from '../../flags/flag.dto';
import { Flags } from '../../flags/flags';
import { listTool } from '../list-tool';

export const listFlags = listTool({
  of: 'flags',
  title: 'List feature flags',
  description:
    'The feature flags that this credential may read, oldest first, with status, rollout, variants and rules; a search ' +
    'looks into keys and names. A flag without websiteId is one of all websites.',
  action: 'flags:read',
  resource: Flags,
  record: FlagDto,
  nameOf: ({ key, name }) => `${key} ${name}`,
});
