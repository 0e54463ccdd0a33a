import { Injectable } from '@nestjs/common';
import { ALERT_WINDOW_MINUTES, type AlertAuthor, type AlertDetails } from '@ledgerline/contracts/events/alert.events';
import type { Alert } from '@ledgerline/contracts/records';
import { type Caller, actorOf } from '@ledgerline/domain/access/caller';
import { type AlertReach, authorsIn, reachOf, whyNotSent } from '@ledgerline/domain/alerts/alert-rights';
import { alertSentence } from '@ledgerline/domain/alerts/alert-sentence';
import { plainAlert } from '@ledgerline/domain/alerts/alert.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { ReadStoreUnavailable } from '@ledgerline/platform/read-stores/read-stores';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { SharedStreamResource, assertWebsite, recordOf } from '../commands/resource';
import { forbidden, invalid, notFound } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { AlertDecisions } from './alert-decisions';
import { AlertFigures } from './alert-figures';
import type { AlertDto } from './alert.dto';

/** An alert as requests state it. */
export type OpenAlert = Omit<AlertDetails, 'author' | 'pausedFor'>;
type Changes = Partial<OpenAlert>;

const SHORTEST_WINDOW_MS = Math.min(...ALERT_WINDOW_MINUTES) * 60_000;

const NOT_SENT = {
  unknown: 'names no destination of the organization',
  audit: 'is an audit stream, which gets the audit log alone',
  about: 'is not about this website, link or goal',
} as const;

@Injectable()
export class Alerts extends SharedStreamResource<Alert, OpenAlert, PlainData<AlertDto>> {
  readonly kind = 'alerts';
  readonly defaults = plainAlert;

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly links: LinkLookup,
    private readonly figures: AlertFigures,
    private readonly decisions: AlertDecisions,
  ) {
    super();
  }

  /** Refuses what does not exist, and destinations that the caller may not send to. */
  override async check(changes: Changes, caller: Caller, current?: Alert): Promise<void> {
    const rule = { ...plainAlert, ...current, ...changes } as OpenAlert; // one of both has all that is needed
    if (!current) await this.checkSubject(rule);
    await this.figures.check(rule);
    this.checkDestinations(rule, reachOf(authorOf(caller), rule, authorsIn(this.registry), new Date()));
  }

  /** The system pauses an alert and changes nothing else. */
  override data(changes: Changes, { caller }: StartedCommand, current?: Alert): object {
    if (caller.kind === 'anonymous') return changes;
    const isEnabled = !current || changes.enabled === true;
    return { ...changes, ...(isEnabled && { pausedFor: null }), author: authorOf(caller) };
  }

  override async records(alerts: readonly Alert[]): Promise<readonly PlainData<AlertDto>[]> {
    const states = await this.decisions.states(alerts);
    const last = await this.decisions.last(alerts.map(({ id }) => id)).catch((error: unknown) => {
      // one that was just made is answered while its read store is away
      if (error instanceof ReadStoreUnavailable && alerts.every(hasDecidedNothing)) return new Map<string, never>();
      throw error;
    });
    return alerts.map((each) => ({
      ...recordOf(each),
      sentence: this.sentenceOf(each),
      state: states.get(each.id) ?? 'waiting',
      lastDecision: last.get(each.id) ?? null,
    }));
  }

  /** The rule of an alert, said back. */
  sentenceOf(rule: OpenAlert): string {
    const { goalId, segment } = rule;
    return alertSentence(rule, {
      goal: goalId === null ? undefined : this.registry.find('goals', goalId)?.name,
      segment: segment === null ? undefined : this.registry.find('segments', segment)?.name,
    });
  }

  private async checkSubject(rule: OpenAlert): Promise<void> {
    await assertWebsite(this.registry, this.live, rule);
    const { organizationId, linkId } = rule;
    if (linkId === null) return;
    const link = await this.links.byId(linkId, [organizationId]);
    if (link?.organizationId !== organizationId) throw notFound('Link');
  }

  /** @throws Problem VALIDATION_ERROR or FORBIDDEN */
  private checkDestinations(rule: OpenAlert, reach: AlertReach): void {
    for (const [nth, id] of rule.destinationIds.entries()) {
      const why = whyNotSent(this.registry.find('destinations', id), rule, reach);
      if (why === 'closed') throw forbidden({ needs: 'admin', of: 'organization' });
      if (why) throw invalid([{ field: `destinationIds[${nth}]`, message: `destinationIds[${nth}] ${NOT_SENT[why]}` }]);
    }
  }
}

/** It is younger than the shortest window. */
const hasDecidedNothing = ({ createdAt }: Alert): boolean => Date.now() - createdAt.getTime() < SHORTEST_WINDOW_MS;

/** The person or key that makes an alert, also where a client acts for the person. */
export function authorOf(caller: Caller): AlertAuthor {
  const { type, id } = actorOf(caller);
  if (type === 'system') throw new Error('An alert has an author.');
  return { type, id };
}
