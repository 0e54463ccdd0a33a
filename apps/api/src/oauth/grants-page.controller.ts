import { Body, Controller, Get, Headers, Inject, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OwnPagesGuard } from '../accounts/own-pages.guard';
import { RequestContext, type CommandContext } from '../commands/command-context';
import { forbidden } from '../http/problems';
import { Budget, Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { FORM, formBody, PAGE, REDIRECT } from './documented';
import { formToken, isFormToken, textIn } from './form';
import { ManagedGrants } from './managed-grants';
import { grantsPage, type ShownGrant } from './pages/grants.page';
import { sendPage } from './pages/page';
import { signInToGrantsPage } from './pages/sign-in.page';
import { RevokeGrant } from './revoke-grant.command';

/** What the token of the page's forms is made for. */
const FORM_NAME = 'grants';

/** The page on which people see what they have allowed, and end it. */
@ApiTags('OAuth')
@Controller('v1/auth/oauth2/grants')
@Public()
@Budget('api')
@UseGuards(OwnPagesGuard)
export class GrantsPageController {
  constructor(
    private readonly grants: ManagedGrants,
    private readonly registry: Registry,
    private readonly commands: CommandBus,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The page with the own grants, or to sign in for it' })
  @ApiQuery({ name: 'failed', type: String, required: false, description: 'After a sign-in that failed' })
  @ApiResponse(PAGE(200, 'The page'))
  page(
    @Query('failed') failed: unknown,
    @Headers('cookie') cookie = '',
    @RequestContext() { caller }: CommandContext,
    @Res() reply: FastifyReply,
  ): void {
    if (caller.kind !== 'user') sendPage(reply, signInToGrantsPage(typeof failed === 'string' ? failed : ''));
    else
      sendPage(reply, grantsPage(caller, this.shownTo(caller), formToken(cookie, FORM_NAME, this.settings.authSecret)));
  }

  @Post()
  @ApiOperation({ summary: 'End a grant with the form of the page' })
  @ApiConsumes(FORM)
  @ApiBody(formBody({ token: 'Of the page', grantId: 'Which one' }, ['token', 'grantId']))
  @ApiResponse(REDIRECT)
  async end(
    @Body() form: unknown,
    @Headers('cookie') cookie = '',
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { caller, client, requestId } = context;
    if (caller.kind !== 'user' || !isFormToken(textIn(form, 'token'), cookie, FORM_NAME, this.settings.authSecret))
      throw forbidden();
    // one that has ended meanwhile is not on the page any more
    const grant = this.grants.of(caller).find(({ id }) => id === textIn(form, 'grantId'));
    if (grant) await this.commands.execute(new RevokeGrant(grant, 'person', { caller, client, requestId }));
    void reply.redirect('grants', 303);
  }

  private shownTo(caller: UserCaller): readonly ShownGrant[] {
    return this.grants.of(caller).map((grant) => {
      const { organizationId, websiteIds } = grant;
      const websites = this.registry.websitesOf(organizationId).filter(({ id }) => websiteIds?.includes(id));
      return {
        grant,
        organization: this.registry.organization(organizationId)?.name ?? organizationId,
        websites: websiteIds && websites.map(({ name }) => name),
      };
    });
  }
}
