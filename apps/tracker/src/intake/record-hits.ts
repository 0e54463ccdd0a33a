import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { derivedEventId, randomEventId } from '@ledgerline/contracts/events/event-id';
import type {
  ObservedEvent,
  PageViewed,
  SealedProfile,
  VisitorAttributes,
  VisitorIdentified,
  WebsiteStamp,
} from '@ledgerline/contracts/events/observed-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { Website } from '@ledgerline/contracts/records';
import type { IntakeItem, IntakeSender, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { activeTraceparent } from '@ledgerline/platform/tracing/tracing';
import { isWithin, cleanText } from '../parse';
import { INTAKE_LOG } from '../tokens';
import { NOT_SEEN, type BotVerdict, withVisitorAttributes } from '../visitors/user-agent';
import { subjectOf, type IntakeContext, type ParsedItem, type PageViewFacts, type IntakeDeps } from './intake-context';

/** Builds the event of each item, with everything that projections need. */
export function buildEvents(context: IntakeContext): void {
  for (const item of context.items) {
    const event = eventOf(item, context);
    item.event = context.bot === null ? event : judged(event, item, context.bot, context.userAgent ?? '');
    if (item.profile !== null && event.type !== 'VisitorIdentified')
      item.identification = namingOf(event, item, item.profile);
  }
}

/**
 * TRICKY: on this path objects are written out or assigned to, never spread; a literal of several spreads costs some
 * hundred times as much.
 */
function eventOf(item: ParsedItem, context: IntakeContext): ObservedEvent {
  const { at } = item;
  const { facts, kind, clientEventId, revision } = item.payload;
  const { receivedAt } = context.request;
  const id =
    clientEventId === null ? randomEventId(receivedAt) : derivedEventId(subjectOf(item), kind, clientEventId, revision);
  const described = () => withVisitorAttributes(stampOf(item), context.place, context.agent);
  switch (facts.type) {
    case 'PageViewed':
      return { type: facts.type, id, at, receivedAt, data: pageViewOf(described(), facts, item.website) };
    case 'PageLeft':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(stampOf(item), facts.data) };
    case 'EngagementMeasured':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(stampOf(item), facts.data) };
    case 'VisitorIdentified':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(stampOf(item), profileOf(item)) };
    case 'CustomEventTracked': {
      const data = Object.assign(described(), facts.data, { profileId: item.profileHash });
      return { type: facts.type, id, at, receivedAt, data };
    }
    case 'OutgoingLinkClicked': {
      const own = isOwn(new URL(facts.data.href).hostname, item.website);
      return { type: facts.type, id, at, receivedAt, data: Object.assign(described(), facts.data, { own }) };
    }
    case 'VitalMeasured':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(described(), facts.data) };
    case 'ErrorRecorded':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(described(), facts.data) };
  }
}

function profileOf({ profile }: ParsedItem): SealedProfile {
  if (profile === null) throw new TypeError('An identification was not sealed before it is recorded.');
  return profile;
}

/** The identification that a hit is which names a profile; as often repeated as the hit. */
function namingOf({ at, receivedAt }: ObservedEvent, item: ParsedItem, profile: SealedProfile): VisitorIdentified {
  const { kind, clientEventId } = item.payload;
  const id =
    clientEventId === null
      ? randomEventId(receivedAt)
      : derivedEventId(subjectOf(item), `identify\n${kind}`, clientEventId);
  return { type: 'VisitorIdentified', id, at, receivedAt, data: Object.assign(stampOf(item), profile) };
}

const stampOf = ({ website, organizationId, visitorId, sessionId }: ParsedItem): WebsiteStamp => ({
  organizationId,
  websiteId: website?.id ?? null,
  zone: website?.timezone ?? 'UTC',
  identity: website?.visitorIdentity ?? 'daily',
  visitorId,
  sessionId,
});

/** Adds whether the referrer is the website's own. */
function pageViewOf(
  described: WebsiteStamp & VisitorAttributes,
  { data }: PageViewFacts,
  website: Website | null,
): PageViewed['data'] {
  const { referrer } = data;
  const own = referrer !== null && isOwn(referrer.host, website);
  const view = described as { -readonly [Name in keyof PageViewed['data']]: PageViewed['data'][Name] };
  view.host = data.host;
  view.path = data.path;
  view.query = data.query;
  view.title = data.title;
  view.referrer = referrer && { host: referrer.host, path: referrer.path, own };
  view.utm = data.utm;
  view.language = data.language;
  view.timezone = data.timezone;
  view.screen = data.screen;
  view.viewport = data.viewport;
  if (data.click !== undefined) view.click = data.click;
  return view;
}

const isOwn = (host: string, website: Website | null): boolean => website !== null && isWithin(host, website.domain);

/** Returns the same hit as one that is never counted. */
function judged(hit: ObservedEvent, item: ParsedItem, bot: BotVerdict, userAgent: string): ObservedEvent {
  const { id, at, receivedAt, type, data } = hit;
  return {
    type: 'HitJudgedBot',
    id,
    at,
    receivedAt,
    data: {
      organizationId: item.organizationId,
      websiteId: item.website?.id ?? null,
      linkId: null,
      userAgent: bot === NOT_SEEN ? '' : (cleanText(userAgent, 1024) ?? ''),
      bot: bot.name,
      rule: bot.rule,
      ruleVersion: bot.ruleVersion,
      hit: { type, data: data as unknown as JsonObject }, // events are plain data
    },
  };
}

/** Sends the events to the intake log; resolves when they are durable. */
export function recordHits(context: IntakeContext, deps: Pick<IntakeDeps, 'recordHits'>): Promise<void> | undefined {
  const hits: IntakeItem[] = [];
  const trace = activeTraceparent();
  for (const item of context.items) {
    const dedupe = item.payload.clientEventId === null ? 'never' : '48h';
    for (const event of [item.event, item.identification])
      if (event !== null) hits.push({ event, subject: subjectOf(item), dedupe, trace });
  }
  if (hits.length === 0) return undefined;
  return deps.recordHits(hits).then(({ positions }) => {
    context.positions = positions;
  });
}

/** Make these hits durable. */
export class RecordHits extends Command<SendResult> {
  constructor(readonly hits: readonly IntakeItem[]) {
    super();
  }
}

/** Resolves after the commit. @throws LogUnavailable when nothing was accepted · OutcomeUnknown */
@CommandHandler(RecordHits)
export class RecordHitsHandler implements ICommandHandler<RecordHits> {
  constructor(@Inject(INTAKE_LOG) private readonly log: IntakeSender) {}

  execute({ hits }: RecordHits): Promise<SendResult> {
    return this.log.send(hits);
  }
}
