import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v5 } from 'uuid';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { Link } from '@ledgerline/contracts/records';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import {
  type CommandContext,
  CommandResult,
  IdempotencyStore,
  type StartedCommand,
  newPrefixedId,
} from '../commands/command-context';
import { itemCommands, mapWithConcurrency, resultOfAll } from '../commands/many-commands';
import { problemOf } from '../http/problems';
import { assertMay } from '../http/route';
import { EVENT_STORE } from '../tokens';
import type { LinkItemResult } from './link.dto';
import { Links, type NewLink, slugTaken } from './links';

/** Creates links, each for itself; `items` holds the problem of one that is malformed in its place. */
export class CreateLinks extends Command<CommandResult<readonly LinkItemResult[]>> {
  constructor(
    readonly organizationId: string,
    /** The items as they were sent. */
    readonly links: readonly object[],
    readonly items: readonly (Omit<NewLink, 'organizationId'> | Problem)[],
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Puts tags on links and takes others off, for each link by itself. */
export class TagLinks extends Command<CommandResult<readonly LinkItemResult[]>> {
  constructor(
    readonly wanted: {
      readonly organizationId: string;
      readonly linkIds: readonly string[];
      readonly add: readonly string[];
      readonly remove: readonly string[];
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Commands under way: their appends share commits. */
const AT_ONCE = 64;

/** Runs one command for each item. */
@Injectable()
export class LinkOutcomes {
  constructor(
    private readonly links: Links,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** Returns what became of each item; a refusal is the outcome of its item alone. */
  async of<Item>(
    items: readonly Item[],
    work: (item: Item, at: number) => Promise<CommandResult<Link> | Problem>,
  ): Promise<CommandResult<readonly LinkItemResult[]>> {
    const results = await mapWithConcurrency(items, AT_ONCE, (item, at) => work(item, at).catch(refusalOf));
    const written = results.filter((result) => result instanceof CommandResult);
    const outcomes = results.map((result) =>
      result instanceof CommandResult ? this.links.record(result.entry) : result,
    );
    return resultOfAll(written, this.store, outcomes);
  }
}

@CommandHandler(CreateLinks)
export class CreateLinksHandler implements ICommandHandler<CreateLinks> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly links: Links,
    private readonly outcomes: LinkOutcomes,
  ) {}

  async execute(command: CreateLinks): Promise<CommandResult<readonly LinkItemResult[]>> {
    const { organizationId, links, items, context } = command;
    assertMay(context.caller, 'links:write', { organizationId });
    const started = await this.idempotency.start(
      context,
      'CreateLinks',
      { organizationId, links },
      newPrefixedId('link'),
    );
    const commands = itemCommands(started, items.length);
    const repeated = repeatedSlugs(items);
    return this.outcomes.of(items, async (item, at) => {
      if (item instanceof Problem) return item;
      if (repeated.has(at)) return slugTaken();
      return this.links.create({ ...item, organizationId }, commands[at] as StartedCommand);
    });
  }
}

@CommandHandler(TagLinks)
export class TagLinksHandler implements ICommandHandler<TagLinks> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly links: Links,
    private readonly outcomes: LinkOutcomes,
  ) {}

  /** @throws Problem VALIDATION_ERROR for what is to be put on and is no tag of the organization */
  async execute({ wanted, context }: TagLinks): Promise<CommandResult<readonly LinkItemResult[]>> {
    const { organizationId, linkIds, ...tags } = wanted;
    assertMay(context.caller, 'links:write', { organizationId });
    await this.links.assertTags(organizationId, tags.add, 'add');
    const started = await this.idempotency.start(context, 'TagLinks', wanted, organizationId);
    return this.outcomes.of(linkIds, (id) =>
      this.links.tag({ id, organizationId }, tags, { ...started, commandId: v5(`item:${id}`, started.commandId), id }),
    );
  }
}

/** The places of items with the slug of an earlier one, which is taken by then whatever becomes of that. */
function repeatedSlugs(items: CreateLinks['items']): ReadonlySet<number> {
  const seen = new Set<string>();
  const isRepeated = (item: CreateLinks['items'][number]): boolean => {
    if (item instanceof Problem || item.slug === null) return false;
    return seen.has(item.slug) || !seen.add(item.slug);
  };
  return new Set(items.flatMap((item, at) => (isRepeated(item) ? [at] : [])));
}

/** A refusal is the result of its item; any other failure ends the whole command, which may be repeated. */
function refusalOf(error: unknown): Problem {
  const refusal = error instanceof Rejection ? problemOf(error) : error;
  if (refusal instanceof Problem && refusal.code !== 'SERVICE_UNAVAILABLE') return refusal;
  throw error;
}
