import { FlagDto, Flags } from '../../flags/flags';
import { Text } from '../../http/fields';
import { arraySchema, object, text, whole, yes } from '../../http/record.dto';
import { WEBSITE } from '../../query/http/query-schemas';
import { ListReadableWebsites } from '../../query/http/readable-websites';
import { listTool, tool } from '../tool';

const MAX_LISTED = 100;

class ListWebsitesInput {
  @Text(1, 255, { description: 'Only websites with this text in their name or domain', optional: true })
  search?: string;
}

export const listWebsites = tool({
  name: 'list_websites',
  title: 'List websites',
  description:
    'The websites that this credential may query, with the ids that `query` takes. Start here, unless the question is about a short link.',
  action: 'websites:read',
  effect: 'read',
  input: ListWebsitesInput,
  output: object({ websites: arraySchema(WEBSITE), total: whole, truncated: yes, note: text }, 'note'),
  answer: async ({ search = '' }, { caller, queries }) => {
    const { websites } = await queries.execute(new ListReadableWebsites(caller));
    const found = websites.filter(({ name, domain }) =>
      `${name} ${domain}`.toLowerCase().includes(search.toLowerCase()),
    );
    const truncated = found.length > MAX_LISTED;
    return {
      websites: found.slice(0, MAX_LISTED),
      total: found.length,
      truncated,
      ...(truncated ? { note: `The first ${MAX_LISTED} are shown; find others with \`search\`.` } : {}),
    };
  },
});

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
