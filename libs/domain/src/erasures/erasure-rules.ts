import type { ErasureEvent } from '@ledgerline/contracts/events/audit-log.events';
import type {
  ObservedEvent,
  VisitorIdentified,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';

/** A rule that leaves events of a log out of all read models, from when it is recorded on. */
export interface ErasureRule {
  readonly erasureId: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly kind: ErasedKind;
  /** The website; of a click the link. */
  readonly subject: string;
  /** As the log has it: 32 hex digits; of a click the id of its event; of what is expired the first day that is kept. */
  readonly id: string;
  /** Epoch ms: the moment of the erasure; of what is expired when that day began. */
  readonly until: number;
}

/** `hit`: no rule, but where one was found late: of a partition (`subject`), at a cursor (`id`). */
export type ErasedKind = 'profile' | 'visitor' | 'session' | 'click' | 'expired' | 'hit';

/** The rules that an event of an erasure adds; `at` is when it was decided, epoch ms. Of a person or an invitation none. */
export function rulesOf({ type, data }: ErasureEvent, at: number): readonly ErasureRule[] {
  const { erasureId, organizationId } = data;
  if (type === 'SubjectErased') {
    if (!('websiteId' in data.subject)) return [];
    const { subject } = data;
    const of = { erasureId, organizationId, websiteId: subject.websiteId, subject: subject.websiteId, until: at };
    if ('profile' in subject) return [{ ...of, kind: 'profile', id: subject.profile.replaceAll('-', '') }];
    return subject.visitors.map((id) => ({ ...of, kind: 'visitor', id }));
  }
  if (type === 'HitsRewritten') return [];
  const { websiteId } = data;
  const of = { erasureId, organizationId, websiteId, subject: websiteId, until: Date.parse(data.until) };
  if (type === 'HitsExpired') return [{ ...of, kind: 'expired', id: data.before }];
  const { visitors, sessions, clicks } = data;
  return [
    ...visitors.map((id) => ({ ...of, kind: 'visitor' as const, id })),
    ...sessions.map((id) => ({ ...of, kind: 'session' as const, id })),
    ...clicks.map(({ linkId, id }) => ({ ...of, kind: 'click' as const, subject: linkId, id })),
  ];
}

/** Returns whether an event adds rules. */
export const isErasure = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: ErasureEvent['type'] }> =>
  event.type === 'SubjectErased' ||
  event.type === 'ErasureExtended' ||
  event.type === 'HitsExpired' ||
  event.type === 'HitsRewritten';

/** Names what a rule is about. */
export const ruleKey = ({ kind, subject, id }: Pick<ErasureRule, 'kind' | 'subject' | 'id'>): string =>
  `${kind} ${subject} ${id}`;

/** So many are looked for one by one in a segment of the log; of more, all of it is read. */
const MOST_IDS = 64;

/** The ids as parts of the log are searched for them; undefined for so many that each part is read. */
export function fewIds(ids: Iterable<string>): readonly string[] | undefined {
  const different = new Set(ids);
  return different.size > MOST_IDS ? undefined : [...different];
}

/** Ids of which one is in every part of the log that holds hits of these rules; undefined = any part may. */
export const hitIdsOfRules = (rules: readonly ErasureRule[]): readonly string[] | undefined =>
  rules.some(({ kind }) => kind === 'expired') ? undefined : fewIds(rules.map(({ id }) => id));

const NONE: readonly ErasureRule[] = [];

/** The events that are left out; equal for every reader that has the same rules. */
export class ErasureRules {
  private readonly rules = new Map<string, ErasureRule[]>();
  /** The websites and links that have rules. */
  private readonly subjects = new Set<unknown>();
  /** By website, up to when everything is left out. */
  private readonly expired = new Map<unknown, ErasureRule>();

  constructor(rules: Iterable<ErasureRule>) {
    for (const rule of rules) {
      this.subjects.add(rule.subject);
      if (rule.kind === 'expired') {
        if (rule.until > (this.expired.get(rule.subject)?.until ?? 0)) this.expired.set(rule.subject, rule);
        continue;
      }
      const key = ruleKey(rule);
      const known = this.rules.get(key);
      const isRepeated = ({ erasureId, until }: ErasureRule) => erasureId === rule.erasureId && until >= rule.until;
      if (!known) this.rules.set(key, [rule]);
      else if (!known.some(isRepeated)) known.push(rule); // websites identify a visitor on every page
    }
  }

  get isEmpty(): boolean {
    return this.subjects.size === 0;
  }

  /** The first day of a website that is kept, as the rule about what came before. */
  expiredOf(websiteId: string): ErasureRule | undefined {
    return this.expired.get(websiteId);
  }

  /**
   * Finds the rules that leave an event out: one that happened or was received until the erasure, whenever it arrives, also
   * where it was taken for a bot's; a click that led there always.
   */
  matching(event: ObservedEvent): readonly ErasureRule[] {
    if (this.isEmpty) return NONE;
    if (event.type === 'HitJudgedBot') return this.matching({ ...event, ...event.data.hit });
    if (event.type === 'LinkClicked') return this.find('click', event.data.linkId, event.id);
    if (!isOfWebsite(event) || !this.subjects.has(event.data.websiteId)) return NONE;
    const subject = event.data.websiteId ?? '';
    const actor = actorOf(event);
    const rules = actor ? this.find(actor.kind, subject, actor.id) : NONE;
    const profiles = event.type === 'VisitorIdentified' ? this.find('profile', subject, event.data.subject) : NONE;
    const since = Math.min(event.at, event.receivedAt);
    const erased = [...rules, ...profiles].filter(({ until }) => since <= until);
    const expired = this.expired.get(subject);
    return expired && event.at < expired.until ? [...erased, expired] : erased;
  }

  /** Returns whether some rule is about whose event it is, whenever it happened. */
  concerns(event: ObservedEvent): boolean {
    if (!isOfWebsite(event)) return false;
    const actor = actorOf(event);
    return actor !== undefined && this.find(actor.kind, event.data.websiteId ?? '', actor.id).length > 0;
  }

  /** The rules that an event which is left out adds to the erasures it belongs to. */
  shownBy(event: ObservedEvent, found = this.matching(event)): readonly ErasureRule[] {
    const matching = found.filter(({ kind }) => kind !== 'expired');
    if (matching.length === 0) return NONE;
    if (event.type === 'PageViewed' && event.data.click) {
      const { id, linkId: subject } = event.data.click;
      return matching.map((rule) => ({ ...rule, kind: 'click', subject, id }));
    }
    const actor = event.type === 'VisitorIdentified' ? actorOf(event) : undefined;
    if (!actor) return NONE;
    const known = new Set(matching.filter(({ kind }) => kind === actor.kind).map(({ erasureId }) => erasureId));
    return matching
      .filter(({ kind, erasureId }) => kind === 'profile' && !known.has(erasureId))
      .map((rule) => ({ ...rule, ...actor }));
  }

  private find(kind: ErasedKind, subject: string, id: string): readonly ErasureRule[] {
    return this.rules.get(ruleKey({ kind, subject, id })) ?? NONE;
  }
}

export const NO_RULES = new ErasureRules([]);

const isOfWebsite = (event: ObservedEvent): event is WebsiteObservedEvent | VisitorIdentified =>
  'websiteId' in event.data && event.type !== 'HitJudgedBot' && event.type !== 'AlertDecided';

/** Returns whose event it is: a visitor's, or that of a session without one. */
function actorOf({ data: { visitorId, sessionId } }: WebsiteObservedEvent | VisitorIdentified) {
  if (visitorId !== null) return { kind: 'visitor', id: visitorId } as const;
  return sessionId === null ? undefined : ({ kind: 'session', id: sessionId } as const);
}
