import { mayRegisterWebsites } from '@ledgerline/domain/access/caller';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import type { Website } from '@ledgerline/domain/registry/registry';
import { website } from '@ledgerline/domain/websites/website.decider';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { Asker, Written } from '../commands/attempt';
import { Attempts } from '../commands/attempts';
import { Decisions } from '../commands/decisions';
import { present } from '../http/present';

export class RegisterWebsite extends Command<Written<Website>> {
  constructor(
    readonly input: WebsiteDetails,
    readonly asker: Asker,
  ) {
    super();
  }
}

@CommandHandler(RegisterWebsite)
export class RegisterWebsiteHandler implements ICommandHandler<RegisterWebsite> {
  constructor(
    private readonly attempts: Attempts,
    private readonly decisions: Decisions,
  ) {}

  async execute({ input, asker }: RegisterWebsite): Promise<Written<Website>> {
    assertMay(mayRegisterWebsites, asker.caller, input.organizationId);
    const attempt = await this.attempts.begin(asker, 'RegisterWebsite', input, 'site');
    const id = attempt.thingId;
    const stream = `${input.organizationId}-website-${id}`;
    const data = { ...input, websiteId: id };
    const written = await this.decisions.take(website, stream, { type: 'RegisterWebsite', data }, attempt);
    return written.as((registry) => present(registry.website(id)));
  }
}
