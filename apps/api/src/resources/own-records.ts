import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { type Entry, Resources } from './resource';
import { ChangeRecord } from './resource.commands';

/** Records that are one person's own, which end with their membership. */
@Injectable()
export class OwnRecords {
  constructor(
    private readonly resources: Resources,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
  ) {}

  /** Deletes those of a person who leaves; may be repeated. */
  async deleteOf(organizationId: string, userId: string, { caller, client, requestId }: CommandContext): Promise<void> {
    await this.delete((owner, entry) => owner === userId && entry.organizationId === organizationId, {
      caller,
      client,
      requestId,
    });
  }

  /** Deletes those of people who left before theirs were deleted; returns how many. */
  sweep(): Promise<number> {
    return this.delete((owner, { organizationId }) => !this.registry.member(organizationId, owner), {
      caller: ANONYMOUS,
    });
  }

  private async delete(isOver: (owner: string, entry: Entry) => boolean, context: CommandContext): Promise<number> {
    await this.live.catchUp();
    let deleted = 0;
    for (const resource of this.resources.list()) {
      if (!resource.ownerOf) continue;
      for (const entry of this.registry.all(resource.kind as 'goals') as readonly Entry[]) {
        const owner = resource.ownerOf(entry);
        if (owner === null || !isOver(owner, entry)) continue;
        await this.commands.execute(new ChangeRecord(resource.type, entry, null, context));
        deleted++;
      }
    }
    return deleted;
  }
}
