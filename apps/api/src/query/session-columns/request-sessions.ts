import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { SessionColumns } from './session-columns';
import { isIdFilter, type QueryContext, type QueryType } from '../query-type';
import { selectsHits } from '../sql/sessions';
import type { Needed } from './columns-sql';
import { loadSessions } from './load-sessions';

/** For a single type, Postgres mostly counts faster than it sends the sessions. */
const WORTHWHILE = 2;

/** The sessions that one request's filters select: read once for each range, with what all of its types need of them. */
export class RequestSessions {
  private readonly needed: Needed;
  private readonly isWorthwhile: boolean;
  private readonly byRange = new Map<string, Promise<SessionColumns | undefined>>();

  constructor(
    private readonly on: Queryable,
    types: readonly QueryType[],
  ) {
    const wanted = types.flatMap(({ aggregateInMemory }) => aggregateInMemory ?? []);
    const columns = new Set(wanted.flatMap((each) => each.columns ?? []));
    this.needed = {
      columns,
      times: wanted.some(({ times }) => times),
      paths: wanted.some(({ paths }) => paths),
      visits: wanted.some(({ visits }) => visits),
      hits: wanted.some(({ hits }) => hits),
    };
    this.isWorthwhile = wanted.length >= WORTHWHILE || wanted.some(({ isSlow }) => isSlow);
  }

  /** Undefined if Postgres had better count them: for one fast type, by filters on pages, or where there are too many. */
  async in(context: QueryContext): Promise<SessionColumns | undefined> {
    if (!this.isWorthwhile || !selectSessions(context)) return undefined;
    const range = `${context.from} ${context.to}`;
    const known = this.byRange.get(range);
    if (known) {
      await setImmediate(); // types are counted in the api's thread: other requests go on between two of them
      return known;
    }
    const loading = loadSessions(this.on, context, this.needed);
    this.byRange.set(range, loading);
    loading.catch(() => this.byRange.delete(range)); // thrown to the type that asked; the next one tries again
    return loading;
  }
}

/** Filters on attributes select whole sessions, which can be counted together; those on pages select single hits. */
const selectSessions = ({ filters }: QueryContext): boolean =>
  filters.length > 0 && filters.every((filter) => !selectsHits(filter) && !isIdFilter(filter.field));
