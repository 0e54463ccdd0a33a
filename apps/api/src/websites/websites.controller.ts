import { Controller, Get, Module, Param, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ResourcesModule, resourceController } from '../commands/resource.controller';
import type { PlainData } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { Favicons, FindFavicon, FindFaviconHandler } from './favicons';
import { ICON_POLICY, ICON_TYPES } from './fetch-favicon';
import {
  PreviewRetention,
  PreviewRetentionDto,
  PreviewRetentionHandler,
  RetentionPreviewDto,
} from './preview-retention.query';
import { RegisterWebsiteDto, UpdateWebsiteDto, WebsiteDto, Websites } from './websites';

const IMAGE = { type: 'string', format: 'binary' } as const;
const CHANGERS = 'For keys with `write:data` on it, and people who are owner or admin of the organization.';

@ApiTags('Websites')
@Controller('v1/websites')
class WebsitesController extends resourceController({
  resource: Websites,
  create: RegisterWebsiteDto,
  update: UpdateWebsiteDto,
  record: WebsiteDto,
  creation: ApiOperation({ operationId: 'websites_register' }),
  reads: ['read:data'],
  writes: ['write:data', 'person'],
  changers: CHANGERS,
  updaters: `${CHANGERS} Only owners may change its retention.`,
  summaries: {
    create: 'Register a website',
    list: 'The websites of an organization that the caller may read',
    one: 'One website',
    update: 'Change a website',
    delete: 'Delete a website: its events are refused and its queries forbidden',
  },
}) {
  @Get(':id/icon')
  @ApiOperation({
    summary: "The icon of a website's domain",
    description:
      'Fetched from the domain when it is first asked for, and anew each week; no content until there is one.',
  })
  @Requires('read:data')
  @ApiOkResponse({ content: Object.fromEntries(ICON_TYPES.map((type) => [type, { schema: IMAGE }])) })
  @ApiNoContentResponse({ description: 'It has none, or it was not fetched yet' })
  async icon(@Param('id') id: string, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const icon = await this.queries.execute(new FindFavicon(id, caller));
    const headers = { 'cache-control': 'private, max-age=86400', 'content-security-policy': ICON_POLICY };
    if (icon) void reply.headers(headers).type(icon.type).send(icon.image);
    else void reply.header('cache-control', 'private, max-age=60').status(204).send();
  }

  @Get(':id/retention')
  @ApiOperation({
    summary: 'What a retention of a website would delete now',
    description: 'For owners. Changes nothing.',
  })
  @Requires('owner')
  @ApiOkResponse({ type: RetentionPreviewDto })
  retention(
    @Param('id') websiteId: string,
    @Query() { days }: PreviewRetentionDto,
    @CurrentCaller() caller: Caller,
  ): Promise<PlainData<RetentionPreviewDto>> {
    return this.queries.execute(new PreviewRetention({ websiteId, days, now: Date.now() }, caller));
  }
}

@Module({
  imports: [ResourcesModule],
  controllers: [WebsitesController],
  providers: [Websites, Favicons, FindFaviconHandler, PreviewRetentionHandler],
  exports: [Favicons],
})
export class WebsitesModule {}
