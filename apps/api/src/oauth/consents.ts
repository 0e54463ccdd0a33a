import { Inject, Injectable } from '@nestjs/common';
import type { GrantScope } from '@ledgerline/contracts/events/oauth-grant.events';
import type { Caller, UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { CommandContext } from '../commands/command-context';
import { newId } from '../commands/idempotency-store';
import { forbidden } from '../http/problems';
import { SETTINGS } from '../tokens';
import { AuthorizationServer, type AuthorizationRequest, type Next } from './authorization-server';
import { CreateGrant } from './grant.commands';
import { formToken, isFormToken, textIn, textsIn } from './form';
import { CONSENT_PROBLEMS, consentPage, type ConsentProblem, type OfferedOrganization } from './pages/consent.page';
import { EXPIRED, refusedPage, sendNext, sendPage } from './pages/page';

/** What a person chose. */
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
      sendPage(reply, refusedPage(EXPIRED), 400);
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
    sendPage(reply, consentPage(request, choice));
  }

  /** @throws Problem FORBIDDEN for a form that was not made for this session */
  async decide(form: unknown, cookie = '', context: CommandContext): Promise<Next> {
    const signed = textIn(form, 'request');
    const { caller } = context;
    if (caller.kind !== 'user' || !isFormToken(textIn(form, 'token'), cookie, signed, this.settings.authSecret))
      throw forbidden();
    const request = await this.server.verified(signed);
    if (!request) return { to: 'nowhere', reason: EXPIRED };
    if (textIn(form, 'decision') !== 'allow') return this.server.deny(signed, cookie);
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
  ): Promise<Next> {
    const grantId = newId('grant');
    const next = await this.server.allow(signed, cookie, grantId, choice.scopes);
    if (next.to !== 'client') return next;
    const details = { ...choice, userId: context.caller.id, clientId, clientName };
    const { caller, client, requestId } = context; // without an Idempotency-Key: each code has a grant of its own
    await this.commands.execute(new CreateGrant(grantId, details, { caller, client, requestId }));
    return next;
  }

  private choiceIn(
    form: unknown,
    caller: UserCaller,
    { scopes: asked }: AuthorizationRequest,
  ): Choice | ConsentProblem {
    const organizationId = textIn(form, 'organizationId');
    if (!caller.roles.has(organizationId)) return 'organization';
    const chosen = textsIn(form, 'websiteId');
    const owned = this.registry.websitesOf(organizationId).filter(({ id }) => chosen.includes(id));
    const isAll = textIn(form, `websites_${organizationId}`) === 'all';
    if (!isAll && owned.length === 0) return 'websites';
    const scopes = asked.filter((scope) => textsIn(form, 'scope').includes(scope));
    if (scopes.length === 0) return 'scopes';
    return { organizationId, scopes, websiteIds: isAll ? null : owned.map(({ id }) => id) };
  }

  private organizationsOf({ roles }: UserCaller): readonly OfferedOrganization[] {
    return [...roles].flatMap(([id, role]) => {
      const organization = this.registry.organization(id);
      return organization ? [{ id, name: organization.name, role, websites: this.registry.websitesOf(id) }] : [];
    });
  }
}

const isProblem = (text: string | undefined): text is ConsentProblem =>
  text !== undefined && Object.hasOwn(CONSENT_PROBLEMS, text);
