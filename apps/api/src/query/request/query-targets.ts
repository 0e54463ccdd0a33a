import { Injectable } from '@nestjs/common';
import type { NamedGoal } from '@ledgerline/aggregation/aggregation';
import { attributeNamed, isOfHits } from '@ledgerline/contracts/attributes';
import type { Filter, FunnelDefinition, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { RecordOf, Website } from '@ledgerline/contracts/records';
import { type Caller, may, neededFor, organizationsOf } from '@ledgerline/domain/access/caller';
import { alternativesIn } from '@ledgerline/domain/query/filters';
import { Registry } from '@ledgerline/domain/registry/registry';
import { zoneNamed } from '@ledgerline/domain/time/zones';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import type { AwaitedPosition } from '../../http/log-position';
import { authRequired, forbidden, invalid } from '../../http/problems';
import { LinksOfTags, type TaggedLinks } from '../../links/list-links.query';
import { Tags } from '../../links/tags';
import { QUERY_TARGETS, type LinkNames, type QueryAbout } from '../declaration/query-type';

/** Anybody may name links in the addresses of page views: of more than so many only the read models are asked. */
const MOST_FROM_STORE = 100;

/** The website, link, tag or monitor a request is about, as far as its caller may read it. */
export interface QueryTarget {
  readonly about: QueryAbout;
  readonly id: string;
  /** The name; of a link its slug. */
  readonly name: string;
  /** The links of a tag, which is asked about as a link is. */
  readonly tag?: TaggedLinks;
  /** True of a monitor that is paused. */
  readonly isPaused?: boolean;
  /** The zone of its own days. */
  readonly zone: string;
  readonly visitorIdentity: string;
  /** True for a caller without permission on a public website, who gets public query types only. */
  readonly publicOnly: boolean;
  /** The filters of a share, which come before those of each request. */
  readonly filters?: readonly Filter[];
}

/** Returns what is read of a target: itself, or the links of a tag. */
export const queryTargetIds = ({ id, tag }: Pick<QueryTarget, 'id' | 'tag'>): readonly string[] => tag?.ids ?? [id];

/** The definitions of a website that parameters name by ids. */
export interface Definitions {
  readonly goals: readonly NamedGoal[];
  readonly goal: (id: string) => NamedGoal | undefined;
  readonly funnel: (id: string) => (FunnelDefinition & { readonly name: string }) | undefined;
  readonly segment: (id: string) => SegmentDefinition | undefined;
}

export const NO_DEFINITIONS: Definitions = {
  goals: [],
  goal: () => undefined,
  funnel: () => undefined,
  segment: () => undefined,
};

/** More are too many to look up each of them in every block of time. */
const MAX_TAGGED = 10_000;

/** Finds what a request is about. */
@Injectable()
export class QueryTargets {
  constructor(
    private readonly registry: Registry,
    private readonly links: LinkLookup,
    private readonly tags: Tags,
    private readonly tagged: LinksOfTags,
  ) {}

  /**
   * Returns what the query string names. One that does not exist fails like one the caller may not read.
   * @throws Problem AUTH_REQUIRED, FORBIDDEN, or VALIDATION_ERROR unless exactly one is named, which has not too many links
   */
  async find(
    caller: Caller,
    params: Readonly<Record<string, unknown>>,
    minPosition?: AwaitedPosition,
  ): Promise<QueryTarget> {
    const [about, ...others] = QUERY_TARGETS.filter((each) => params[`${each}_id`] !== undefined);
    const id = params[`${about}_id`];
    if (about === undefined || others.length > 0 || typeof id !== 'string' || id === '') throw namesNotOne();
    const target = await this[about](caller, id, minPosition);
    if (!target)
      throw caller.kind === 'anonymous'
        ? authRequired()
        : forbidden({ needs: neededFor(`${about}s:read`, caller), of: about });
    return target;
  }

  /** Returns what parameters may name by ids, of a website; nothing else has definitions. */
  definitionsOf({ about, id }: Pick<QueryTarget, 'about' | 'id'>): Definitions {
    if (about !== 'website') return NO_DEFINITIONS;
    const ofWebsite = <Of extends { readonly websiteId: string }>(found: Of | undefined) =>
      found?.websiteId === id ? found : undefined;
    return {
      goals: this.registry.goalsOfWebsite(id),
      goal: (goal) => ofWebsite(this.registry.find('goals', goal)),
      funnel: (funnel) => ofWebsite(this.registry.find('funnels', funnel)),
      segment: (segment) => this.segment(id, segment),
    };
  }

  /** Returns what these links of the organization of a website are called, by id. */
  async linkNames(websiteId: string, ids: readonly string[]): Promise<ReadonlyMap<string, LinkNames>> {
    const organizationId = this.registry.find('websites', websiteId)?.organizationId;
    const find = async (id: string, nth: number) => {
      const own = organizationId !== undefined && nth < MOST_FROM_STORE ? [organizationId] : [];
      const link = await this.links.byId(id, own);
      return link?.organizationId === organizationId ? link : undefined;
    };
    const found = await Promise.all(ids.map(find));
    return new Map(found.flatMap((link) => (link ? [[link.id, link] as const] : [])));
  }

  /** Finds a segment of the website, or of all of its organization. */
  private segment(websiteId: string, id: string): RecordOf<'segments'> | undefined {
    const segment = this.registry.find('segments', id);
    const website = this.registry.find('websites', websiteId);
    if (!segment || segment.organizationId !== website?.organizationId) return undefined;
    return segment.websiteId === null || segment.websiteId === websiteId ? segment : undefined;
  }

  private website(caller: Caller, id: string): QueryTarget | undefined {
    const website = this.registry.find('websites', id);
    if (!website) return undefined;
    const mayRead = may(caller, 'websites:read', { organizationId: website.organizationId, websiteId: id });
    if (!mayRead && !website.isPublic) return undefined;
    return websiteTarget(website, !mayRead);
  }

  private async link(caller: Caller, id: string): Promise<QueryTarget | undefined> {
    const link = await this.links.byId(id, organizationsOf(caller));
    if (!link || !may(caller, 'links:read', { organizationId: link.organizationId })) return undefined;
    return { about: 'link', id: link.id, name: link.slug, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false };
  }

  private async tag(caller: Caller, id: string, minPosition?: AwaitedPosition): Promise<QueryTarget | undefined> {
    const found = await this.tags.named(id);
    if (!found || !READ_OF_TAGS.every((action) => may(caller, action, found))) return undefined;
    const tag = await this.tagged.find(found, MAX_TAGGED, minPosition);
    if (!tag) throw invalid([{ field: 'tag_id', message: `Must be a tag of at most ${MAX_TAGGED} links.` }]);
    const { name } = found;
    return { about: 'link', id, name, tag, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false };
  }

  private monitor(caller: Caller, id: string): QueryTarget | undefined {
    const monitor = this.registry.find('monitors', id);
    if (!monitor || !may(caller, 'monitors:read', { organizationId: monitor.organizationId })) return undefined;
    const { name, paused: isPaused } = monitor;
    return { about: 'monitor', id, name, isPaused, zone: 'UTC', visitorIdentity: 'none', publicOnly: false };
  }
}

const READ_OF_TAGS = ['tags:read', 'links:read'] as const;

export function websiteTarget({ id, name, timezone, visitorIdentity }: Website, publicOnly: boolean): QueryTarget {
  const zone = zoneNamed(timezone) ?? timezone; // websites registered earlier have it in any case
  return { about: 'website', id, name, zone, visitorIdentity, publicOnly };
}

/** @throws Problem if the reader of a share of some pages filters by what visits did on others */
export function checkFiltersOfReader({ filters: ofShare = [] }: QueryTarget, filters: readonly Filter[]): void {
  const fieldsOf = (some: readonly Filter[]) => some.flatMap(alternativesIn).map(({ field }) => field);
  const wrong = fieldsOf(filters.slice(ofShare.length)).find((field) => attributeNamed(field)?.of === 'whole');
  if (wrong === undefined || !fieldsOf(ofShare).some(isOfHits)) return;
  throw new Problem(
    'VALIDATION_ERROR',
    `This share shows only some pages, and ${wrong} is about all pages of a visit.`,
  );
}

function namesNotOne(): Problem {
  const message = 'Exactly one of website_id, link_id, tag_id and monitor_id must be in the query string.';
  return invalid(QUERY_TARGETS.map((about) => ({ field: `${about}_id`, message })));
}
