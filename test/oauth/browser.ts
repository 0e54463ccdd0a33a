/** The view of a browser: a page, or the address of a client that it was sent to. */
export interface Shown {
  readonly status: number;
  readonly address: URL;
  readonly text: string;
  readonly headers: Headers;
}

/** A browser without scripts: follows redirects on one host, keeps its cookies and sends the forms of its pages. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly origin: string,
    cookie = '',
  ) {
    for (const each of cookie.split('; ').filter(Boolean)) this.keep(each);
  }

  open(address: string | URL): Promise<Shown> {
    return this.send(new URL(address, this.origin), { method: 'GET' });
  }

  /** Sends the form of a page with its hidden fields and these. */
  submit({ address, text }: Shown, fields: readonly (readonly [string, string])[]): Promise<Shown> {
    const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) throw new Error(`There is no form on ${address.pathname}: ${text.slice(0, 300)}`);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']): [string, string] => [name, unescaped(value)]),
      ...fields.map(([name, value]): [string, string] => [name, value]),
    ]);
    return this.send(new URL(action, address), { method: 'POST', body });
  }

  async send(address: URL, init: RequestInit): Promise<Shown> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const isForm = init.method === 'POST';
    const headers: Record<string, string> = { accept: 'text/html' };
    if (isForm) Object.assign(headers, { origin: this.origin, 'sec-fetch-site': 'same-origin' });
    if (cookie !== '') headers.cookie = cookie;
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const each of response.headers.getSetCookie()) this.keep(each);
    const location = response.headers.get('location');
    if (location === null)
      return { status: response.status, address, text: await response.text(), headers: response.headers };
    const next = new URL(location, address);
    if (next.origin !== this.origin)
      return { status: response.status, address: next, text: '', headers: response.headers };
    return this.send(next, { method: 'GET' });
  }

  private keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    this.cookies.set(name, value);
  }
}

const unescaped = (text: string): string => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
