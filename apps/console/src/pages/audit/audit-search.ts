import { isDay, optionalText } from '../search-params';
import { ACTIONS, TARGET_TYPES } from './audit-words';

/** The texts of the address; days are those of the browser's time zone. */
export interface AuditSearch {
  readonly action?: keyof typeof ACTIONS;
  readonly actorId?: string;
  readonly targetType?: keyof typeof TARGET_TYPES;
  readonly targetId?: string;
  readonly firstDay?: string;
  readonly lastDay?: string;
  readonly cursor?: string;
}

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const texts = (['actorId', 'targetId', 'cursor'] as const).map((name) => optionalText(search, name));
  const days = (['firstDay', 'lastDay'] as const).map((name) => ({ [name]: dayOf(search[name]) }));
  const action = wordOf(ACTIONS, search['action']);
  const targetType = wordOf(TARGET_TYPES, search['targetType']);
  const given = Object.assign({ action, targetType }, ...texts, ...days) as AuditSearch; // of these names
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const wordOf = <Word extends string>(words: Readonly<Record<Word, string>>, text: unknown): Word | undefined =>
  (Object.keys(words) as Word[]).find((word) => word === text);

const dayOf = (text: unknown): string | undefined => (typeof text === 'string' && isDay(text) ? text : undefined);
