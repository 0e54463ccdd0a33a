import { Body, Controller, Delete, Get, Headers, Inject, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiProperty, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { GRANT_SCOPES, type GrantScope } from '@ledgerline/contracts/events/api-key.events';
import { hostOf } from '@ledgerline/contracts/parse-url';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import type { Caller, UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import {
  type CommandContext,
  type CommandResult,
  CurrentCommandContext,
  Deletes,
  RequestContext,
} from '../../commands/command-context';
import { historyOf } from '../../commands/resource';
import { displayName } from '../../http/fields';
import { type Html, html } from '../../http/html';
import { OwnPagesGuard } from '../../http/origins';
import { forbidden } from '../../http/problems';
import { ApiList, type ListAnswer, type PlainData, RecordDto, listOf } from '../../http/record.dto';
import { Budget, CurrentCaller, Public, Requires } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { FORM, PAGE, REDIRECT, formBody, formToken, isFormToken, formText } from './form';
import { GrantRevocation, ManagedGrants } from './grants';
import { type ConsentChoice, SCOPE_CONSENT_LABELS } from './pages/consent.page';
import { type HtmlPage, sendHtmlPage } from './pages/page';
import { signInToGrantsPage } from './sign-in.controller';

class GrantDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty({
    description: "The address of the client's metadata document",
    example: 'https://agent.example/client.json',
  })
  clientId: string;

  @ApiProperty({ description: 'What the client calls itself' })
  clientName: string;

  @ApiProperty({ enum: GRANT_SCOPES, isArray: true })
  scopes: readonly GrantScope[];

  @ApiProperty({ type: [String], nullable: true, description: 'null = the whole organization' })
  websiteIds: readonly string[] | null;
}

const grantDto = (grant: OAuthGrant): PlainData<GrantDto> => ({
  id: grant.id,
  organizationId: grant.organizationId,
  clientId: grant.clientId,
  clientName: grant.clientName,
  scopes: grant.scopes,
  websiteIds: grant.websiteIds,
  ...historyOf(grant),
});

/** The clients that a person lets act for them. */
@ApiTags('OAuth')
@Controller('v1/oauth/grants')
@Requires('person')
export class GrantsController {
  constructor(
    private readonly grants: ManagedGrants,
    private readonly revocation: GrantRevocation,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The own grants that are not revoked, newest first' })
  @ApiList(GrantDto)
  list(@CurrentCaller() caller: Caller): ListAnswer<PlainData<GrantDto>> {
    return listOf(this.grants.of(caller).map(grantDto));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke an own grant; answered when no process accepts its tokens' })
  @Deletes()
  async revoke(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<null>> {
    const grant = await this.grants.find(id, context.caller);
    return this.revocation.end(grant, 'person', context);
  }
}

/** The name for which the token of the page's forms is made. */
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
    private readonly revocation: GrantRevocation,
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
    if (caller.kind !== 'user') sendHtmlPage(reply, signInToGrantsPage(typeof failed === 'string' ? failed : ''));
    else
      sendHtmlPage(
        reply,
        grantsPage(caller, this.shownTo(caller), formToken(cookie, FORM_NAME, this.settings.authSecret)),
      );
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
    if (caller.kind !== 'user' || !isFormToken(formText(form, 'token'), cookie, FORM_NAME, this.settings.authSecret))
      throw forbidden();
    // one that has ended meanwhile is not on the page any more
    const grant = this.grants.of(caller).find(({ id }) => id === formText(form, 'grantId'));
    if (grant) await this.revocation.end(grant, 'person', { caller, client, requestId });
    void reply.redirect('grants', 303);
  }

  private shownTo(caller: UserCaller): readonly ShownGrant[] {
    return this.grants.of(caller).map((grant) => {
      const { organizationId, websiteIds } = grant;
      const websites = this.registry.list('websites', organizationId).filter(({ id }) => websiteIds?.includes(id));
      return {
        grant,
        organization: this.registry.organization(organizationId)?.name ?? organizationId,
        websites: websiteIds && websites.map(({ name }) => name),
      };
    });
  }
}

interface ShownGrant {
  readonly grant: OAuthGrant;
  readonly organization: string;
  /** Their names; null = everything. */
  readonly websites: readonly string[] | null;
}

/** Shows people what they have allowed, and lets them end it. */
const grantsPage = (
  { name, email }: ConsentChoice['person'],
  grants: readonly ShownGrant[],
  formToken: string,
): HtmlPage => ({
  title: 'What you have allowed',
  content: html`<h1>Programs that use Ledgerline for you</h1>
    ${grants.length === 0 ? html`<p>None. You have allowed nothing that has not ended.</p>` : undefined}
    ${grants.map((each) => grantSection(each, formToken))}
    <p class="soft">You are signed in as ${name} (${email}).</p>`,
});

const grantSection = ({ grant, organization, websites }: ShownGrant, formToken: string): Html =>
  html`<fieldset>
    <legend>${hostOf(grant.clientId)}</legend>
    <p>It calls itself “<bdi>${displayName(grant.clientName)}</bdi>”. Allowed on ${dayOf(grant.createdAt)}.</p>
    <p>In ${organization}: ${websites === null ? 'everything' : `only ${websites.join(', ')}`}</p>
    <ul>
      ${grant.scopes.map((scope) => html`<li>${SCOPE_CONSENT_LABELS[scope].label}</li>`)}
    </ul>
    <form method="post" action="grants">
      <input type="hidden" name="token" value="${formToken}" />
      <input type="hidden" name="grantId" value="${grant.id}" />
      <div class="actions"><button class="plain">End access</button></div>
    </form>
  </fieldset>`;

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
