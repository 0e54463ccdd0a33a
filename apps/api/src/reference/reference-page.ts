import { html } from '../http/html';
import { errorsSection, queryTypesSection } from './sections';

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
