import type { Link } from '@ledgerline/domain/registry/registry';
import { html, type Html } from './html';

/** What social networks read to show a link. */
export function previewPage(link: Link, target: string): string {
  const title = link.ogTitle ?? link.name;
  const meta = [
    property('og:type', 'website'),
    property('og:title', title),
    property('og:url', target),
    ...(link.ogDescription === null ? [] : [property('og:description', link.ogDescription)]),
    ...(link.ogImageUrl === null ? [] : [property('og:image', link.ogImageUrl)]),
    html`<meta name="twitter:card" content="${link.ogImageUrl === null ? 'summary' : 'summary_large_image'}" />`,
  ];
  return page(title, meta, html`<p><a href="${target}">${title}</a></p>`);
}

export const notFoundPage = (): string =>
  page(
    'Not found',
    [],
    html`<h1>Not found</h1>
      <p>There is no such short link.</p>`,
  );

export const gonePage = (): string =>
  page(
    'Expired',
    [],
    html`<h1>Expired</h1>
      <p>This short link has expired.</p>`,
  );

export const unavailablePage = (): string =>
  page(
    'Try again',
    [],
    html`<h1>One moment</h1>
      <p>This link cannot be looked up right now. Please try again.</p>`,
  );

export const tooManyPage = (): string =>
  page(
    'Too many requests',
    [],
    html`<h1>Too many requests</h1>
      <p>Please try again in a minute.</p>`,
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
        ${meta}
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 32rem;
            margin: 20vh auto;
            padding: 0 1rem;
            color: #1a1a1a;
          }
          a {
            color: inherit;
          }
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html> `.text;
