import type { QueryTypeName } from '@ledgerline/client';
import { ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { reportAt } from '../website/report/reports';

/** Lists that need an account, also of a website whose statistics are public. */
const PRIVATE: ReadonlySet<string> = new Set([
  ...['custom_event_properties', 'custom_events_recent'],
  ...Object.values(ATTRIBUTES).flatMap((attribute) =>
    'list' in attribute && 'publicAccess' in attribute.list ? [attribute.list.type] : [],
  ),
]);

/** Returns the lists of a report that everybody may see whom a dashboard is shared with. */
export const publicLists = (path: string): readonly QueryTypeName[] =>
  (reportAt(path)?.lists ?? []).filter((type) => !PRIVATE.has(type));
