import { Browser, type Shown } from './browser';
import { authorizeAddress, exchange, pkce, type Pkce, type Tokens } from './client';

interface Account {
  readonly email: string;
  readonly organizationId: string;
  /** With the cookie of a session, nobody has to sign in. */
  readonly headers: { readonly cookie?: string };
}

type Fields = readonly (readonly [string, string])[];

/** A person with a browser, who signs in for a client and decides. */
export class Walk {
  readonly proof: Pkce = pkce();
  readonly browser: Browser;

  constructor(
    private readonly host: string,
    private readonly account: Account,
  ) {
    this.browser = new Browser(host, account.headers.cookie);
  }

  /** The page on which the person decides. */
  async consentPage(changes: Readonly<Record<string, string | undefined>> = {}): Promise<Shown> {
    const page = await this.browser.open(authorizeAddress(this.host, this.proof, changes));
    return page.address.pathname.endsWith('/sign-in') ? this.signIn(page) : page;
  }

  signIn(page: Shown, password = 'correct horse battery'): Promise<Shown> {
    return this.browser.submit(page, [
      ['email', this.account.email],
      ['password', password],
    ]);
  }

  /** Where the client is called back. */
  async allow(page: Shown, choice: Fields = this.everything()): Promise<URL> {
    return (await this.browser.submit(page, [['decision', 'allow'], ...choice])).address;
  }

  everything(scopes: readonly string[] = ['read:data', 'write:data']): Fields {
    return [[`websites_${this.account.organizationId}`, 'all'], ...scopes.map((scope) => ['scope', scope] as const)];
  }

  async tokens(choice?: Fields, changes?: Readonly<Record<string, string | undefined>>): Promise<Tokens> {
    const back = await this.allow(await this.consentPage(changes), choice);
    const { status, body } = await exchange(this.host, back.searchParams.get('code') ?? '', this.proof);
    if (status !== 200) throw new Error(`No tokens were issued: ${JSON.stringify(body)}`);
    return body as unknown as Tokens;
  }
}
