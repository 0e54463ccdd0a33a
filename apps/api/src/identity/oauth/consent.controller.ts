import { Body, Controller, Get, Headers, Inject, Injectable, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GrantScope } from '@ledgerline/contracts/events/api-key.events';
import type { Caller, UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type CommandContext, RequestContext, newPrefixedId } from '../../commands/command-context';
import { CreateRecord } from '../../commands/resource.commands';
import { OwnPagesGuard } from '../../http/origins';
import { forbidden } from '../../http/problems';
import { Budget, Public } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { type AuthorizationRequest, AuthorizationServer, type OAuthRedirect } from './authorization-server';
import { FORM, PAGE, REDIRECT, formBody, formToken, isFormToken, formText, formFieldTexts } from './form';
import { OAuthGrants } from './grants';
import { CONSENT_PROBLEMS, type ConsentProblem, type OfferedOrganization, consentPage } from './pages/consent.page';
import { EXPIRED, refusedPage, sendNext, sendHtmlPage } from './pages/page';

/** The choice of a person. */
interface Choice {
  readonly organizationId: string;
  readonly scopes: readonly GrantScope[];
  readonly websiteIds: readonly string[] | null;
}

/** Shows people what a client asks for, and makes a grant of what they allow. */
@Injectable()
export class Consents {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly commands: CommandBus,
    private readonly registry: Registry,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async show(query: URLSearchParams, cookie: string | undefined, caller: Caller, reply: FastifyReply): Promise<void> {
    const problem = query.get('problem') ?? undefined;
    query.delete('problem');
    const request = await this.server.verified(query.toString());
    if (!request) {
      sendHtmlPage(reply, refusedPage(EXPIRED), 400);
      return;
    }
    if (caller.kind !== 'user' || cookie === undefined) {
      sendNext(reply, { to: 'page', address: `sign-in?${request.signed}` });
      return;
    }
    const choice = {
      person: caller,
      organizations: this.organizationsOf(caller),
      formToken: formToken(cookie, request.signed, this.settings.authSecret),
      problem: isProblem(problem) ? problem : undefined,
    };
    sendHtmlPage(reply, consentPage(request, choice));
  }

  /** @throws Problem FORBIDDEN for a form that was not made for this session */
  async decide(form: unknown, cookie = '', context: CommandContext): Promise<OAuthRedirect> {
    const signed = formText(form, 'request');
    const { caller } = context;
    if (caller.kind !== 'user' || !isFormToken(formText(form, 'token'), cookie, signed, this.settings.authSecret))
      throw forbidden();
    const request = await this.server.verified(signed);
    if (!request) return { to: 'nowhere', reason: EXPIRED };
    if (formText(form, 'decision') !== 'allow') return this.server.deny(signed, cookie);
    const choice = this.choiceIn(form, caller, request);
    if (typeof choice === 'string') return { to: 'page', address: `consent?${signed}&problem=${choice}` };
    return this.grant(request, choice, { ...context, caller }, cookie);
  }

  /** The code belongs to a grant that is recorded before the browser gets it. */
  private async grant(
    { signed, clientId, clientName }: AuthorizationRequest,
    choice: Choice,
    context: CommandContext & { readonly caller: UserCaller },
    cookie: string,
  ): Promise<OAuthRedirect> {
    const grantId = newPrefixedId('grant');
    const next = await this.server.allow(signed, cookie, grantId, choice.scopes);
    if (next.to !== 'client') return next;
    const details = { ...choice, userId: context.caller.id, clientId, clientName };
    const { caller, client, requestId } = context; // without an Idempotency-Key: each code has a grant of its own
    await this.commands.execute(new CreateRecord(OAuthGrants, details, { caller, client, requestId }, { id: grantId }));
    return next;
  }

  private choiceIn(
    form: unknown,
    caller: UserCaller,
    { scopes: asked }: AuthorizationRequest,
  ): Choice | ConsentProblem {
    const organizationId = formText(form, 'organizationId');
    if (!caller.roles.has(organizationId)) return 'organization';
    const chosen = formFieldTexts(form, 'websiteId');
    const owned = this.registry.list('websites', organizationId).filter(({ id }) => chosen.includes(id));
    const isAll = formText(form, `websites_${organizationId}`) === 'all';
    if (!isAll && owned.length === 0) return 'websites';
    const scopes = asked.filter((scope) => formFieldTexts(form, 'scope').includes(scope));
    if (scopes.length === 0) return 'scopes';
    return { organizationId, scopes, websiteIds: isAll ? null : owned.map(({ id }) => id) };
  }

  private organizationsOf({ roles }: UserCaller): readonly OfferedOrganization[] {
    return [...roles].flatMap(([id, role]) => {
      const organization = this.registry.organization(id);
      return organization ? [{ id, name: organization.name, role, websites: this.registry.list('websites', id) }] : [];
    });
  }
}

const isProblem = (text: string | undefined): text is ConsentProblem =>
  text !== undefined && Object.hasOwn(CONSENT_PROBLEMS, text);

@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
export class AuthorizeController {
  constructor(private readonly server: AuthorizationServer) {}

  @Get('authorize')
  @ApiOperation({
    summary: 'Begin the authorization of a client (RFC 6749, PKCE S256, RFC 8707)',
    description:
      'A browser opens it. Parameters: `response_type=code`, `client_id` (the address of the metadata document), `redirect_uri`, `code_challenge`, `code_challenge_method=S256`, `resource`, `scope`, `state`. It leads to the pages for signing in and for consent, and from there back to the client.',
  })
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The client or its address could not be verified'))
  async authorize(
    @Req() request: FastifyRequest,
    @Headers('cookie') cookie: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendNext(reply, await this.server.authorize(queryOf(request), cookie));
  }
}

export const queryOf = ({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));

const FIELDS = {
  request: 'The signed request',
  token: 'Of the page',
  decision: '`allow` or `deny`',
  organizationId: 'In which organization',
  scope: 'What the client may do; once for each scope',
  websiteId: 'Once for each website, with `websites_<organizationId>=some`',
};

/** The page on which a person decides what a client may do for them. */
@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
@UseGuards(OwnPagesGuard)
export class ConsentController {
  constructor(private readonly consents: Consents) {}

  @Get('consent')
  @ApiOperation({ summary: 'The page to allow or deny a client, with the request that `authorize` signed' })
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async page(
    @Req() http: FastifyRequest,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.consents.show(queryOf(http), cookie, context.caller, reply);
  }

  @Post('consent')
  @ApiOperation({ summary: 'Decide with the form of the page' })
  @ApiConsumes(FORM)
  @ApiBody(formBody(FIELDS, ['request', 'token', 'decision']))
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async decide(
    @Body() form: unknown,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendNext(reply, await this.consents.decide(form, cookie, context));
  }
}
