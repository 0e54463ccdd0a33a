import { ERROR_CATALOGUE } from '@ledgerline/contracts/errors/error-catalogue';
import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { html, type Html } from '../http/html';
import { CATALOGUE } from '../query/types/catalogue';
import type { QueryType } from '../query/query-type';

/** The page around Swagger UI, with the catalogues of query types and errors. */
export const pageOf = (): string =>
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
    <p>About a ${type.about}: ${type.category}. Filters: ${listOf(type.allowedFilters)}.${required(type)}</p>
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

const required = ({ requiredFilters }: QueryType): Html | undefined =>
  requiredFilters.length === 0 ? undefined : html` Needs a filter on ${requiredFilters.join(', ')}.`;

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

/** Every error code with its causes and its cure. Each is an entry of the search. */
const errorsSection = (): Html =>
  html`<section id="errors">
    <h2>Errors</h2>
    <p>The <code>code</code> of an error, with its HTTP status.</p>
    ${(Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map(errorEntry)}
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
