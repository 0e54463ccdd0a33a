import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { html, Html } from '../../../http/html';
import type { OAuthRedirect } from '../authorization-server';

const STYLE = `
:root { color-scheme: light; --ink: #16202e; --soft: #4a5868; --line: #c9d2dc; --accent: #0b6e5f; --paper: #f4f6f8; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 2.5rem auto; padding: 2rem; background: #fff; border: 1px solid var(--line); border-radius: 12px; }
.name { margin: 0 0 1.5rem; font-weight: 700; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; }
h1 strong { color: var(--accent); }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.soft, small { color: var(--soft); font-size: .92rem; }
small { display: block; }
ul { margin: 0; padding-left: 1.25rem; }
fieldset { margin: 0 0 1.25rem; padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 .4rem; font-weight: 600; }
label { display: block; margin: .6rem 0 0; font-weight: 600; }
.choice { display: grid; grid-template-columns: 1.5rem 1fr; gap: .35rem; margin: .35rem 0; font-weight: 400; }
.choice input { width: 1.05rem; height: 1.05rem; margin: .25rem 0 0; accent-color: var(--accent); }
.list { max-height: 14rem; margin: .25rem 0 0 1.85rem; overflow-y: auto; }
.part { margin: 0 0 .75rem 1.85rem; }
.option:has(> .choice > input[type=radio]:not(:checked)) > .part { display: none; }
.text { width: 100%; padding: .6rem .7rem; border: 1px solid #7b8894; border-radius: 6px; font: inherit; }
.problem, .warning { padding: .7rem .9rem; border-left: 4px solid #b3261e; background: #fdf0ef; }
.warning { border-color: #8a6100; background: #fdf6e3; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 1.25rem; }
main > :last-child, form:last-child .actions { margin-bottom: 0; }
button { padding: .65rem 1.5rem; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent); color: #fff; font: 600 1rem system-ui, sans-serif; cursor: pointer; }
button.plain { background: #fff; color: var(--ink); border-color: #7b8894; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid #1f6feb; outline-offset: 2px; }
@media (max-width: 36rem) { main { margin: 0; border: 0; border-radius: 0; min-height: 100vh; padding: 1.25rem; } }
`;

const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export interface HtmlPage {
  readonly title: string;
  readonly content: Html;
  /** Where a form of the page may lead to in the end, beside this host. */
  readonly leadsTo?: string;
}

/** Sends a page that loads nothing, runs nothing and is shown in no frame. */
export function sendHtmlPage(reply: FastifyReply, { title, content, leadsTo }: HtmlPage, status = 200): void {
  const targets = ["'self'", ...(leadsTo === undefined ? [] : [sourceOf(leadsTo)])].join(' ');
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Ledgerline</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <p class="name">Ledgerline</p>
          ${content}
        </main>
      </body>
    </html>`;
  void reply
    .status(status)
    .header('content-security-policy', policy)
    // with `no-referrer`, browsers would send forms of this page without their origin
    .header('referrer-policy', 'same-origin')
    .type('text/html; charset=utf-8')
    .send(page.markup);
}

/** An address as a source of a policy: its origin, or its scheme where an origin cannot be written as one. */
function sourceOf(address: string): string {
  const url = parseUrl(address);
  const origin = url?.origin ?? '';
  return /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(origin) ? origin : (url?.protocol ?? "'self'");
}

/** A request that cannot be answered to the client, because it is not certain who that is. */
export const refusedPage = (reason: string): HtmlPage => ({
  title: 'This request cannot be answered',
  content: html`<h1>This request cannot be answered</h1>
    <p role="alert">${reason}</p>
    <p class="soft">Nothing was allowed. Close this page and connect again from the program you came from.</p>`,
});

export const EXPIRED = 'It has expired, or it was changed on its way.';

/** Sends the browser on, or shows why there is nowhere to go. */
export function sendNext(reply: FastifyReply, next: OAuthRedirect): void {
  if (next.to === 'nowhere') sendHtmlPage(reply, refusedPage(next.reason), 400);
  else void reply.redirect(next.address, 303);
}
