import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { toBuffer, toString } from 'qrcode';
import type { Link } from '@ledgerline/contracts/records';

export const sendRedirectPage = (reply: FastifyReply, status: number, page: string): void =>
  void reply.status(status).headers(HEADERS).send(page);

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem; color: #1a1a1a; }
a { color: inherit; }`;

const POLICY = [
  ...["default-src 'none'", `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
];

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-cache',
  'content-security-policy': POLICY.join('; '),
};

/**
 * Returns what social networks read to show a link. TRICKY: `og:url` is the short link at `address`; some networks show
 * what they find at that address instead, and the target has other texts.
 */
export function previewPage(link: Link, address: string, target: string): string {
  const title = link.ogTitle ?? link.name;
  const meta = [
    property('og:type', 'website'),
    property('og:title', title),
    property('og:url', address),
    ...(link.ogDescription === null ? [] : [property('og:description', link.ogDescription)]),
    ...(link.ogImageUrl === null ? [] : [property('og:image', link.ogImageUrl)]),
    html`<meta name="twitter:card" content="${link.ogImageUrl === null ? 'summary' : 'summary_large_image'}" />`,
  ];
  return page(title, meta, html`<p><a href="${target}">${title}</a></p>`);
}

/** Returns what people see who open the host itself. */
export const hostPage = (): string =>
  messagePage(
    'Ledgerline',
    'This address receives the page views of websites and redirects their short links. There is nothing to see here.',
  );

export const notFoundPage = (): string => messagePage('Not found', 'There is no such short link.');

export const gonePage = (): string => messagePage('Expired', 'This short link has expired.');

export const endlessPage = (): string =>
  messagePage('Leads nowhere', 'This short link leads back to itself over other short links.');

export const unavailablePage = (): string =>
  messagePage('Try again', 'This link cannot be looked up right now. Please try again.', 'One moment');

export const unrecordedPage = (): string =>
  messagePage('Try again', 'This link cannot be followed right now. Please try again.', 'One moment');

export const tooManyPage = (): string => messagePage('Too many requests', 'Please try again in a minute.');

const messagePage = (title: string, text: string, heading = title): string =>
  page(
    title,
    [],
    html`<h1>${heading}</h1>
      <p>${text}</p>`,
  );

const property = (name: string, content: string): Html => html`<meta property="${name}" content="${content}" />`;

const page = (title: string, meta: readonly Html[], body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${meta} ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        ${body}
      </body>
    </html> `.text;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Tagged template for HTML: every value is escaped, only other `html` is spliced in. */
function html(strings: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((text, string, at) => text + render(values[at - 1] ?? '') + string));
}

/** Text that is HTML already. */
class Html {
  constructor(readonly text: string) {}
}

function render(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return value.map(render).join('');
}

export type QrFormat = 'svg' | 'png';

const SIDE_PIXELS = 512;

/** `abc.svg` is the QR code of `abc`. */
export function splitQrName(name: string): { readonly slug: string; readonly format: QrFormat | null } {
  if (name.endsWith('.svg')) return { slug: name.slice(0, -4), format: 'svg' };
  if (name.endsWith('.png')) return { slug: name.slice(0, -4), format: 'png' };
  return { slug: name, format: null };
}

/** Sends the code of an address as an image. */
export async function sendQrCode(address: string, format: QrFormat, reply: FastifyReply): Promise<void> {
  const headers = { 'cache-control': 'public, max-age=3600' };
  if (format === 'svg') {
    const image = await toString(address, { type: 'svg', margin: 2 });
    void reply.headers(headers).type('image/svg+xml').send(image);
  } else {
    const image = await toBuffer(address, { type: 'png', margin: 2, width: SIDE_PIXELS });
    void reply.headers(headers).type('image/png').send(image);
  }
}
