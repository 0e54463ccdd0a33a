import { Body, Controller, Get, HttpCode, Injectable, Param, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Destination } from '@ledgerline/contracts/records';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { type MailLink, addressIn, isLinkToken } from '@ledgerline/platform/outbound/mail-destination';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type CommandContext, RequestContext } from '../commands/command-context';
import { ActOnRecord, ChangeRecord } from '../commands/resource.commands';
import { html } from '../http/html';
import { Public } from '../http/route';
import { FORM, PAGE, formText } from '../identity/oauth/form';
import { type HtmlPage, sendHtmlPage } from '../identity/oauth/pages/page';
import { Destinations } from './destinations';
import { MailConsents } from './mail-consents';

/** The actions of the addressee of a destination: they have no account, but the links in the mails. */
@Injectable()
export class MailReaders {
  constructor(
    private readonly commands: CommandBus,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly destinations: Destinations,
    private readonly consents: MailConsents,
  ) {}

  /** The mail that a link is of; undefined where it is not valid. */
  async find(id: string, link: MailLink, token: string): Promise<Destination | undefined> {
    const destination = await this.live.find(() => this.registry.find('destinations', id));
    if (!destination || destination.consent === null) return undefined;
    const target = await this.destinations.targetIn(destination);
    return target && isLinkToken(target, link, id, token, Date.now()) ? destination : undefined;
  }

  /** May be repeated. */
  async confirm(destination: Destination, context: CommandContext): Promise<void> {
    if (destination.consent !== 'asked') return;
    const { organizationId, sealed } = destination;
    const begin = await this.destinations.nextPlace(organizationId);
    const action = { type: 'ConfirmDestination', run: () => ({ data: { sealed, begin } }) };
    await this.commands.execute(new ActOnRecord(Destinations, destination, action, byReader(context)));
  }

  /** May be repeated. */
  async unsubscribe(destination: Destination, context: CommandContext): Promise<void> {
    if (destination.consent === 'withdrawn') return;
    const target = await this.destinations.target(destination);
    const { organizationId } = destination;
    await this.consents.remember({ organizationId, address: addressIn(target) }, 'withdrawn');
    const action = { type: 'UnsubscribeDestination' };
    await this.commands.execute(new ActOnRecord(Destinations, destination, action, byReader(context)));
  }

  /** Deletes what mails an address: in one organization, or in all. May be repeated. */
  async removeTo(email: string, organizationId?: string): Promise<void> {
    await this.live.catchUp();
    for (const each of this.registry.all('destinations')) {
      if (each.kind !== 'mail' || (organizationId ?? each.organizationId) !== each.organizationId) continue;
      const target = await this.destinations.targetIn(each);
      if (target && addressIn(target).toLowerCase() === email.toLowerCase())
        await this.commands.execute(new ChangeRecord(Destinations, each, null, { caller: ANONYMOUS }));
    }
  }
}

/** The context of an anonymous caller: a session that the browser may have does not count here. */
const byReader = ({ client, requestId }: CommandContext): CommandContext => ({ caller: ANONYMOUS, client, requestId });

const WRONG_LINK: HtmlPage = {
  title: 'Mails',
  content: html`<h1>This link is not valid</h1>
    <p role="alert">It has expired, was replaced by another one, or is not complete.</p>`,
};

/** A button, as programs that read mails open links. */
const question = (title: string, button: string): HtmlPage => ({
  title,
  content: html`<h1>${title}</h1>
    <form method="post">
      <div class="actions"><button>${button}</button></div>
    </form>`,
});

const done = (title: string): HtmlPage => ({
  title,
  content: html`<h1>${title}</h1>
    <p>You can close this page.</p>`,
});

const Token = () => ApiQuery({ name: 'token', type: String, description: 'From the mail' });

@ApiTags('Destinations')
@Controller('v1/destinations/:id')
@Public()
export class MailPagesController {
  constructor(private readonly readers: MailReaders) {}

  @Get('confirm')
  @ApiOperation({ summary: 'The page on which the addressee confirms that they want mails' })
  @Token()
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(PAGE(400, 'The link is not valid'))
  async askToConfirm(@Param('id') id: string, @Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const destination = await this.readers.find(id, 'confirm', formText(query, 'token'));
    if (!destination) sendHtmlPage(reply, WRONG_LINK, 400);
    else sendHtmlPage(reply, question('Do you want these mails?', 'Yes, send them'));
  }

  @Post('confirm')
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirm that the mails of a destination are wanted; from then on they are sent' })
  @Token()
  @ApiResponse(PAGE(200, 'They are sent'))
  @ApiResponse(PAGE(400, 'The link is not valid'))
  async confirm(
    @Param('id') id: string,
    @Query() query: unknown,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const destination = await this.readers.find(id, 'confirm', formText(query, 'token'));
    if (!destination || destination.consent === 'withdrawn') sendHtmlPage(reply, WRONG_LINK, 400);
    else {
      await this.readers.confirm(destination, context);
      sendHtmlPage(reply, done('From now on you get these mails'));
    }
  }

  @Get('unsubscribe')
  @ApiOperation({ summary: 'The page on which the addressee ends the mails' })
  @Token()
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(PAGE(400, 'The link is not valid'))
  async askToEnd(@Param('id') id: string, @Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const destination = await this.readers.find(id, 'unsubscribe', formText(query, 'token'));
    if (!destination) sendHtmlPage(reply, WRONG_LINK, 400);
    else sendHtmlPage(reply, question('No more of these mails?', 'Send no more'));
  }

  @Post('unsubscribe')
  @HttpCode(200)
  @ApiOperation({ summary: 'End the mails of a destination (RFC 8058); may be repeated' })
  @Token()
  @ApiConsumes(FORM, 'multipart/form-data')
  @ApiBody({
    required: false,
    schema: { type: 'object' },
    description: '`List-Unsubscribe=One-Click`, of mail programs',
  })
  @ApiResponse(PAGE(200, 'None is sent any more'))
  @ApiResponse(PAGE(400, 'The link is not valid'))
  async end(
    @Param('id') id: string,
    @Query() query: unknown,
    @Body() _: unknown,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const destination = await this.readers.find(id, 'unsubscribe', formText(query, 'token'));
    if (!destination) sendHtmlPage(reply, WRONG_LINK, 400);
    else {
      await this.readers.unsubscribe(destination, context);
      sendHtmlPage(reply, done('You get no more of these mails'));
    }
  }
}
