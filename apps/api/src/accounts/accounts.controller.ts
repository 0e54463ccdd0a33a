import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { refusalOf } from './account-refusals';
import { Accounts } from './accounts';

/** Sign-up, sign-in, sign-out and sessions, handled by the account library. */
@ApiExcludeController()
@Controller('v1/auth')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @All('*')
  @Public()
  @Budget('accounts')
  async answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const response = await this.accounts.handle(this.asWebRequest(request));
    if (response.status >= 400) throw await refusalOf(response);
    for (const [name, value] of response.headers) if (name !== 'set-cookie') void reply.header(name, value);
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) void reply.header('set-cookie', cookies);
    void reply.status(response.status).send(await response.text());
  }

  /** TRICKY: the library stores the user agent and address that it gets, so neither is passed on. */
  private asWebRequest({ method, url, headers, body }: FastifyRequest): Request {
    const sent = new Headers();
    for (const name of ['cookie', 'origin', 'referer', 'accept', 'sec-fetch-site', 'sec-fetch-mode']) {
      const value = headers[name];
      if (typeof value === 'string') sent.set(name, value);
    }
    const hasBody = body !== undefined && body !== null;
    if (hasBody) sent.set('content-type', 'application/json');
    return new Request(onOwnHost(url, this.settings.publicApiUrl), {
      method,
      headers: sent,
      body: hasBody ? JSON.stringify(body) : null,
    });
  }
}

/** TRICKY: a request line may contain any host; only its path and query are used. */
function onOwnHost(target: string, home: string): URL {
  const [path = '', ...query] = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '').split('?');
  const url = new URL(home);
  url.pathname = path;
  url.search = query.join('?');
  return url;
}
