import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { CommandResult } from '../commands/command-result';
import type { Plain } from '../http/record.dto';
import { Requires } from '../http/route';
import { validated } from '../http/validation';
import { SETTINGS } from '../tokens';
import { CreateLinks, type LinkOutcome } from './create-links.command';
import { CreateLinksDto, newLink, NewLinkDto } from './link-settings.dto';
import { LinkOutcomesDto, linkOutcomesDto } from './link.dto';

/** Many links in one request. */
@ApiTags('Links')
@Controller('v1/links/bulk')
export class LinkBatchesController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Create up to 1,000 short links, each for itself',
    description:
      'Answers what became of each. After a failure of the whole request (503), the same request with the same ' +
      '`Idempotency-Key` creates what is missing. For keys with `write:data`, and people who are signed in.',
  })
  @Requires('write:data')
  @ApiOkResponse({ type: LinkOutcomesDto })
  async create(
    @Body() body: CreateLinksDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<LinkOutcomesDto>> | Plain<LinkOutcomesDto>> {
    const items = body.links.map((link) => readItem(link));
    const result = await this.commands.execute(new CreateLinks(body.organizationId, body.links, items, context));
    const shown = (outcomes: readonly LinkOutcome[]) => linkOutcomesDto(outcomes, this.settings.publicTrackUrl);
    return result instanceof CommandResult ? result.as(shown) : shown(result);
  }
}

/** An item as if it were a request of its own. */
function readItem(link: object): ReturnType<typeof newLink> | Problem {
  try {
    return newLink(validated(NewLinkDto, link));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
