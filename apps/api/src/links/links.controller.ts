import { Body, Controller, Get, HttpCode, Module, Post, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type CommandContext, type CommandResult, CurrentCommandContext } from '../commands/command-context';
import { withDtoDefaults } from '../commands/resource';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import { type AwaitedPosition, MinPosition } from '../http/log-position';
import type { PlainData } from '../http/record.dto';
import { CurrentCaller, Requires, clientDisconnectSignal } from '../http/route';
import { validated } from '../http/validation';
import { CreateLinks, CreateLinksHandler, LinkOutcomes, TagLinks, TagLinksHandler } from './create-links.command';
import {
  CreateLinkDto,
  CreateLinksDto,
  LINK_DEFAULTS,
  LinkDto,
  LinkOutcomesDto,
  TagLinksDto,
  TaggedLinksDto,
  NewLinkDto,
  UpdateLinkDto,
  linkOutcomesDto,
  taggedLinksDto,
} from './link.dto';
import { LinkAddresses, Links, CheckSlugHandler, SlugReservations } from './links';
import { ApiLinkPage, type LinkPageDto, ListLinksDto } from './list-links.dto';
import { LinksOfTags, ListLinks, ListLinksHandler, RegistryPosition } from './list-links.query';
import { PagePreviewDto, PagePreviewQueryDto, PreviewPage, PreviewPageHandler } from './page-preview.query';
import { TagsModule } from './tags';

@ApiTags('Links')
@Controller('v1/links')
class LinksController extends resourceController({
  resource: Links,
  create: CreateLinkDto,
  update: UpdateLinkDto,
  record: LinkDto,
  reads: ['read:data'],
  writes: ['write:data'],
  summaries: {
    create: 'Create a short link',
    list: 'The short links of an organization',
    one: 'One short link',
    update: 'Change a short link; a former slug leads nowhere and stays reserved for it',
    delete: 'Delete a short link: it leads nowhere, and its slug is never used again',
  },
}) {
  /** A page: links are many. */
  @Get()
  @ApiOperation({ summary: 'The short links of an organization' })
  @Requires('read:data')
  @ApiLinkPage()
  list(
    @Query() wanted: ListLinksDto,
    @CurrentCaller() caller: Caller,
    @MinPosition() minPosition: AwaitedPosition | undefined,
  ): Promise<LinkPageDto> {
    return this.queries.execute(new ListLinks(wanted, caller, minPosition));
  }
}

/** Many links in one request. */
@ApiTags('Links')
@Controller('v1/links/bulk')
class LinkBatchesController {
  constructor(private readonly commands: CommandBus) {}

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
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<LinkOutcomesDto>>> {
    const items = body.links.map((link) => readItem(link));
    const result = await this.commands.execute(new CreateLinks(body.organizationId, body.links, items, context));
    return result.as(linkOutcomesDto);
  }
}

/** Many links that exist. */
@ApiTags('Links')
@Controller('v1/links/bulk/tags')
class TaggedLinksController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put tags on up to 1,000 short links, and take others off, for each link by itself',
    description:
      'Answers what became of each; a link that has all it is to get, and nothing it is to lose, stays as it is. After a ' +
      'failure of the whole request (503), the same request again changes what is missing. For keys with `write:data`, ' +
      'and people who are signed in.',
  })
  @Requires('write:data')
  @ApiOkResponse({ type: TaggedLinksDto })
  async create(
    @Body() { organizationId, linkIds, add, remove }: TagLinksDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<TaggedLinksDto>>> {
    const wanted = { organizationId, linkIds, add: add ?? [], remove: remove ?? [] };
    const result = await this.commands.execute(new TagLinks(wanted, context));
    return result.as(taggedLinksDto);
  }
}

/** Previews the pages that there are to link to. */
@ApiTags('Links')
@Controller('v1/links/preview')
class PagePreviewsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'The title and description of a page',
    description:
      'Reads the page within 2 s, from public addresses only; what is not found is null. For keys with `write:data`, ' +
      'and people who are signed in.',
  })
  @Requires('write:data')
  @ApiOkResponse({ type: PagePreviewDto })
  preview(
    @Query() wanted: PagePreviewQueryDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<PagePreviewDto>> {
    return this.queries.execute(new PreviewPage(wanted, caller, clientDisconnectSignal(reply)));
  }
}

/** An item as if it were a request of its own. */
function readItem(link: object): ReturnType<typeof withDtoDefaults<NewLinkDto, typeof LINK_DEFAULTS>> | Problem {
  try {
    return withDtoDefaults(validated(NewLinkDto, link), LINK_DEFAULTS);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

@Module({
  imports: [ResourcesModule, TagsModule],
  controllers: [LinkBatchesController, TaggedLinksController, PagePreviewsController, LinksController],
  providers: [
    SlugReservations,
    LinkAddresses,
    Links,
    RegistryPosition,
    LinkOutcomes,
    CreateLinksHandler,
    TagLinksHandler,
    ListLinksHandler,
    CheckSlugHandler,
    PreviewPageHandler,
    LinksOfTags,
  ],
  exports: [LinksOfTags, RegistryPosition],
})
export class LinksModule {}
