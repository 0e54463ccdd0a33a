import type { AuditEntryDto } from '@ledgerline/client';
import { isExistingDay, optionalText } from '../search-params';

/** The texts of the address; days are those of the browser's time zone. */
export interface AuditSearch {
  readonly action?: AuditEntryDto['action'];
  readonly actorId?: string;
  readonly targetType?: AuditEntryDto['target']['type'];
  readonly targetId?: string;
  readonly firstDay?: string;
  readonly lastDay?: string;
  readonly cursor?: string;
}

/** Without words of the audit log that there are not, which the page leaves out: it alone has all of them. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const names = ['action', 'actorId', 'targetType', 'targetId', 'cursor'] as const;
  const texts = names.map((name) => optionalText(search, name));
  const days = (['firstDay', 'lastDay'] as const).map((name) => ({ [name]: dayOf(search[name]) }));
  const given = Object.assign({}, ...texts, ...days) as AuditSearch; // of these names
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const dayOf = (text: unknown): string | undefined =>
  typeof text === 'string' && isExistingDay(text) ? text : undefined;
