import { ERROR_CATALOGUE, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { keysOf } from '@ledgerline/contracts/json';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { type Html, html } from '../http/html';
import type { QueryType } from '../query/declaration/query-type';
import { CATALOGUE } from '../query/types/catalogue';

/** The page around Swagger UI, with the catalogues of query types and errors. */
export const referencePage = (): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Ledgerline API reference</title>
        <meta name="description" content="Every route of Ledgerline, with requests to try." />
        <link rel="icon" type="image/png" href="/reference/favicon-32x32.png" />
        <link rel="stylesheet" href="/reference/swagger-ui.css" />
        <link rel="stylesheet" href="/reference/reference.css" />
        <script src="/reference/theme.js"></script>
      </head>
      <body>
        <header>
          <a class="name" href="/">Ledgerline</a>
          <nav aria-label="Reference">
            <a href="/console">Console</a><a href="#query-types">Query types</a><a href="#errors">Errors</a
            ><a href="/openapi.json">openapi.json</a><a href="/openapi.yaml">openapi.yaml</a
            ><a href="/health/ready">Health</a>
          </nav>
          <search>
            <input
              id="search"
              type="search"
              aria-label="Search operations, query types and errors"
              placeholder="Search"
              autocomplete="off"
            />
            <div id="found" hidden>
              <p role="status"></p>
              <ul></ul>
            </div>
          </search>
        </header>
        <main>
          <div id="reference"><p class="loading">Loading the reference …</p></div>
          <noscript
            >The operations need JavaScript. The same description is in
            <a href="/openapi.yaml">openapi.yaml</a>.</noscript
          >
          <div class="catalogues">${queryTypesSection()} ${errorsSection()}</div>
        </main>
        <footer>
          Places come from the <a href="https://db-ip.com" rel="noreferrer">IP Geolocation by DB-IP</a>. Shown with
          Swagger UI (Apache-2.0).
        </footer>
        <script src="/reference/swagger-ui-bundle.js"></script>
        <script src="/reference/search.js"></script>
        <script src="/reference/reference.js"></script>
      </body>
    </html> `.markup;

/** Every query type with what it means, its fields and filters. Each is an entry of the search. */
const queryTypesSection = (): Html =>
  html`<section id="query-types">
    <h2>Query types</h2>
    <p>What <code>POST /v1/query</code> takes as <code>parameters</code>.</p>
    ${CATALOGUE.map(queryTypeEntry)}
  </section>`;

const queryTypeEntry = (type: QueryType): Html =>
  html`<details id="query-type-${type.name}" data-entry="Query type">
    <summary><code>${type.name}</code> <span>${type.description}</span></summary>
    <p>About a ${type.about}: ${type.category}. Filters: ${listOf(type.takes.filters)}.${required(type)}</p>
    <table>
      <thead>
        <tr>
          <th>Field</th>
          <th>Type</th>
          <th>Unit</th>
        </tr>
      </thead>
      <tbody>
        ${Object.entries(type.fields).map(
          ([name, { type: kind, unit }]) =>
            html`<tr>
              <td><code>${name}</code></td>
              <td>${kind}</td>
              <td>${unit}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </details>`;

const required = ({ takes: { ids } }: QueryType): Html | undefined =>
  ids.length === 0 ? undefined : html` Needs a filter on ${ids.join(', ')}.`;

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

/** Every error code with its causes and its cure. Each is an entry of the search. */
const errorsSection = (): Html =>
  html`<section id="errors">
    <h2>Errors</h2>
    <p>The <code>code</code> of an error, with its HTTP status.</p>
    ${keysOf(ERROR_CATALOGUE).map(errorEntry)}
  </section>`;

function errorEntry(code: ErrorCode): Html {
  const { causes, cure } = ERROR_CATALOGUE[code];
  return html`<details id="error-${code}" data-entry="Error" open>
    <summary><code>${code}</code> <span>${STATUSES[code]}</span></summary>
    <ul>
      ${causes.map((cause) => html`<li>${withCode(cause)}</li>`)}
    </ul>
    <p><strong>Cure.</strong> ${withCode(cure)}</p>
  </details>`;
}

/** A sentence whose names between backticks are shown as code. */
const withCode = (sentence: string): Html[] =>
  sentence.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));

/** The looks of the page, and of Swagger UI in it; its dark colours are its own, under \`.dark-mode\`. */
export const STYLE = `:root { --ink: #16202e; --soft: #4a5869; --line: #dfe5ec; --accent: #0b6e5f; --paper: #f7f9fb; --code: #e8edf2; --code-ink: #0a4a41; color-scheme: light; }
.dark-mode { --ink: #e4e7e6; --soft: #b3bcc6; --line: #3b4651; --accent: #5fd0bd; --paper: #1c2022; --code: #2d3439; --code-ink: #9fe3d6; color-scheme: dark; }
html { scroll-behavior: smooth; scroll-padding-top: 4.5rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font-family: system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 2rem; padding: .7rem max(1.5rem, calc((100vw - 1200px) / 2)); background: #16202e; }
header a { display: inline-block; color: #cfd9e4; text-decoration: none; font-size: .95rem; line-height: 24px; }
header a:hover, header a:focus-visible { color: #fff; text-decoration: underline; }
header .name { color: #fff; font-weight: 700; font-size: 1.15rem; letter-spacing: .01em; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; }
search { position: relative; flex: 1 1 14rem; }
#search { box-sizing: border-box; width: 100%; padding: .45rem .7rem; border: 1px solid #7b8a9b; border-radius: 6px; background: var(--paper); color: var(--ink); font: inherit; }
#found { position: absolute; right: 0; left: 0; max-height: 70vh; overflow-y: auto; padding: .3rem; border: 1px solid var(--line); border-radius: 0 0 8px 8px; background: var(--paper); }
#found p { margin: .2rem .5rem; color: var(--soft); font-size: .85rem; }
#found ul { margin: 0; padding: 0; list-style: none; }
#found a { display: block; padding: .35rem .5rem; color: var(--ink); overflow-wrap: anywhere; }
#found small { color: var(--soft); }
main { max-width: 1240px; margin: 0 auto; }
footer, noscript, .loading, .catalogues { display: block; max-width: 1200px; margin: 0 auto; padding: 2rem 1.5rem; }
footer, .loading { color: var(--soft); font-size: .9rem; }
footer a { color: var(--accent); }
.catalogues { padding-block: 0; line-height: 1.5; }
.catalogues h2, .swagger-ui h2 { margin: 2rem 0 .6rem; font: 600 1.4rem system-ui, sans-serif; color: var(--ink); }
.catalogues details { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; scroll-margin-top: 4.5rem; }
.catalogues summary { cursor: pointer; }
.catalogues table { width: 100%; border-collapse: collapse; text-align: left; font-size: .9rem; }
.catalogues code { padding: .1em .35em; border-radius: 4px; background: var(--code); color: var(--code-ink); }
.samples { padding: 1rem 1.25rem; }
.languages { display: flex; flex-wrap: wrap; gap: .3rem; }
.languages button { padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: none; color: var(--ink); font: inherit; font-size: .85rem; cursor: pointer; }
.languages button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.swagger-ui .samples pre { margin: .5rem 0 0; padding: .9rem 1.1rem; border-radius: 8px; background: #16202e; color: #e6edf3; overflow-x: auto; }
.swagger-ui .samples code { color: inherit; font-size: .82rem; white-space: pre; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .markdown p, .swagger-ui .renderedMarkdown p, .swagger-ui .info li { font-family: system-ui, sans-serif; color: var(--ink); }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .info a { color: var(--accent); }
.swagger-ui .info .title small { background: #43505f; }
.swagger-ui .info .title small.version-stamp { background: #3b6a00; }
.swagger-ui .info .description { max-width: 52rem; }
.swagger-ui .info .renderedMarkdown h2 { margin: 1.8rem 0 .4rem; font-size: 1.15rem; }
.swagger-ui .info .renderedMarkdown p, .swagger-ui .info .renderedMarkdown li { font-size: .97rem; line-height: 1.6; }
.swagger-ui .info .renderedMarkdown pre { padding: .9rem 1.1rem; border-radius: 8px; background: #16202e; }
.swagger-ui .info .renderedMarkdown pre code { padding: 0; background: none; color: #e6edf3; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.swagger-ui .info .renderedMarkdown code { padding: .1em .35em; border-radius: 4px; background: var(--code); color: var(--code-ink); font-weight: 500; }
.swagger-ui .highlight-code > .microlight { max-height: none; } /* keys cannot scroll it */
.swagger-ui .opblock-tag { border-bottom: 1px solid var(--line); }
.swagger-ui .opblock { border-radius: 8px; box-shadow: none; }
.swagger-ui .opblock[class] .opblock-summary-method { background: #3b4a5c; color: #fff; }
.swagger-ui .opblock.opblock-get[class] .opblock-summary-method { background: #1d5fa8; }
.swagger-ui .opblock.opblock-post[class] .opblock-summary-method { background: #14694a; }
.swagger-ui .opblock.opblock-delete[class] .opblock-summary-method { background: #b3261e; }
.swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel[class] { border-color: #ff9c94; color: #ff9c94; }
.swagger-ui.swagger-ui[class] :is(.parameter__in, .header-col, .parameter__name, .parameter__type, .model, .prop-format, .response-col_status, .response-col_links, .tab li, .parameter__extension) { color: var(--ink); }
.swagger-ui .btn.authorize { border-color: var(--accent); color: var(--accent); }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
.swagger-ui .btn.execute { border-color: #0b6e5f; background: #0b6e5f; }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
@media (max-width: 640px) {
  header { position: relative; padding-inline: .75rem; }
  .swagger-ui .wrapper { padding: 0 .75rem; }
  .catalogues { padding-inline: .75rem; }
  .swagger-ui .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; flex: 1; overflow-wrap: anywhere; }
  .swagger-ui table.parameters :is(tbody, tr, td) { display: block; width: auto; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui table.parameters td { padding: .4rem 0; }
  .swagger-ui table.responses-table { table-layout: fixed; }
  .swagger-ui .response-col_links { display: none; }
  .swagger-ui table .response-col_status { width: 3.5rem; }
  .swagger-ui .table-container, .swagger-ui .responses-inner, .swagger-ui .model-box { overflow-x: auto; }
}
`;
