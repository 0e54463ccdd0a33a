import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import type { NaiveFieldFilter } from './naive-request';
import { naiveSessions } from './naive-sessions';

/** The filters a type cannot do without, on every second visitor or session, and on one that does not exist. */
export const idFilters = ({ takes }: QueryType, events: readonly WebsiteObservedEvent[]): NaiveFieldFilter[] =>
  takes.ids.map((field) => {
    const sessions = naiveSessions(events);
    const ids = field === 'session_id' ? sessions.map(({ id }) => id) : sessions.map(({ visitor }) => visitor);
    const some = [...new Set(ids)].filter((id, at) => id !== null && at % 2 === 0) as string[];
    return { field, op: 'in', value: [...some, 'f'.repeat(32)] };
  });
