import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import { slug as slugDecider } from '@ledgerline/domain/links/link.decider';
import { type Append, type EventStore, decidedIn } from '@ledgerline/platform/event-store/event-store';
import { slugStream } from '@ledgerline/platform/event-store/streams';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../commands/command-runner';
import type { StartedCommand } from '../commands/command-context';
import { EVENT_STORE } from '../tokens';

/** The link a slug belongs to, which may not exist yet, or no more. */
interface SlugHolder {
  readonly linkId: string;
  readonly organizationId: string;
}

/** Reserves slugs: the first event of a slug's stream says which link it belongs to, for ever. */
@Injectable()
export class SlugReservations {
  constructor(
    private readonly runner: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** The first event of the slug's stream, for a slug that may be free. */
  begin(slug: string, wanted: SlugHolder, started: StartedCommand): Promise<Append> {
    return this.runner.begin(reservationOf(slug, wanted), started);
  }

  /** Reserves a slug for a link unless it is reserved already; answers whose it is. */
  async reserve(slug: string, wanted: SlugHolder, started: StartedCommand): Promise<SlugHolder> {
    const reservation = reservationOf(slug, wanted);
    // If-Match is about the link
    const reserving = this.runner.run(reservation, { ...started, expectedRevision: undefined });
    const reserved = await undefinedIfRejected('SLUG_TAKEN', reserving);
    if (reserved) return reserved.entry;
    return holderIn(await this.firstOf(slug));
  }

  /** The link that a slug is reserved for; undefined for a free one. */
  async holderOf(slug: string): Promise<SlugHolder | undefined> {
    const first = await this.firstOf(slug);
    return first.length === 0 ? undefined : holderIn(first);
  }

  private async firstOf(slug: string): Promise<readonly Recorded[]> {
    return decidedIn(await this.store.readStream(slugStream(slug), { limit: 1 }));
  }
}

const reservationOf = (slug: string, wanted: SlugHolder) => ({
  decider: slugDecider,
  stream: slugStream(slug),
  command: { type: 'ReserveSlug', data: { slug, ...wanted } } as const,
  answer: (_: unknown, history: readonly Recorded[]) => holderIn(history),
});

function holderIn([first]: readonly Recorded[]): SlugHolder {
  if (first?.type !== 'SlugReserved') throw new Error('A slug is taken, but its stream does not say by which link.');
  const { linkId, organizationId } = first.data;
  return { linkId, organizationId };
}

export const slugTaken = () =>
  new Problem('CONFLICT', 'This slug is taken', [{ field: 'slug', message: 'slug is taken; choose another' }]);

/** Undefined when the decider rejects it for that fact. */
export async function undefinedIfRejected<T>(fact: RejectionFact, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Rejection && error.fact === fact) return undefined;
    throw error;
  }
}

/** Whether a slug can be given to a link, one that exists or a new one. @throws Problem CONFLICT when it is taken */
export class CheckSlug extends Query<void> {
  constructor(
    readonly slug: string,
    readonly linkId?: string,
  ) {
    super();
  }
}

@QueryHandler(CheckSlug)
export class CheckSlugHandler implements IQueryHandler<CheckSlug> {
  constructor(private readonly slugs: SlugReservations) {}

  async execute({ slug, linkId }: CheckSlug): Promise<void> {
    const holder = await this.slugs.holderOf(slug);
    if (holder && holder.linkId !== linkId) throw slugTaken();
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 8;

/** The nth choice of a slug for a link: looks random, and is the same when the command is tried again. */
export function randomSlug(linkId: string, n: number): string {
  const bytes = createHash('sha256').update(`${linkId}:${n}`).digest();
  let rest = bytes.readBigUInt64BE() * 2n ** 64n + bytes.readBigUInt64BE(8);
  let slug = '';
  while (slug.length < LENGTH) {
    slug += ALPHABET.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return slug;
}
