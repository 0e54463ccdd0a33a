/** The page around Swagger UI. */
export const pageOf = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ledgerline API reference</title>
<meta name="description" content="Every route of Ledgerline, with requests to try.">
<link rel="icon" type="image/png" href="/reference/favicon-32x32.png">
<link rel="stylesheet" href="/reference/swagger-ui.css">
<link rel="stylesheet" href="/reference/reference.css">
</head>
<body>
<header>
<a class="name" href="/">Ledgerline</a>
<nav><a href="/openapi.json">openapi.json</a><a href="/openapi.yaml">openapi.yaml</a><a href="/v1/query/types">Query types</a><a href="/health/ready">Health</a></nav>
</header>
<main id="reference"><p class="loading">Loading the reference …</p></main>
<noscript>This page needs JavaScript. The same description is in <a href="/openapi.yaml">openapi.yaml</a>.</noscript>
<footer>Places come from the <a href="https://db-ip.com" rel="noreferrer">IP Geolocation by DB-IP</a>. Shown with Swagger UI (Apache-2.0).</footer>
<script src="/reference/swagger-ui-bundle.js"></script>
<script src="/reference/reference.js"></script>
</body>
</html>
`;

/** TRICKY: requests go to the address of this page, which may differ from the configured one (localhost, 127.0.0.1). */
export const SCRIPT = `fetch('/openapi.json').then((response) => response.json()).then((spec) => {
  spec.servers[0].url = location.origin;
  window.ui = SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
}).catch((error) => {
  document.querySelector('.loading').textContent = 'The reference cannot be loaded: ' + error.message;
});
`;

export const STYLE = `:root { --ink: #16202e; --line: #dfe5ec; --accent: #0b6e5f; --paper: #f7f9fb; }
html { scroll-behavior: smooth; }
body { margin: 0; background: var(--paper); color: var(--ink); font-family: system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 10; display: flex; align-items: baseline; gap: 2rem; padding: .9rem max(1.5rem, calc((100vw - 1200px) / 2)); background: var(--ink); }
header a { color: #cfd9e4; text-decoration: none; font-size: .95rem; }
header a:hover, header a:focus-visible { color: #fff; text-decoration: underline; }
header .name { color: #fff; font-weight: 700; font-size: 1.15rem; letter-spacing: .01em; }
nav { display: flex; flex-wrap: wrap; gap: 1.3rem; }
main { max-width: 1240px; margin: 0 auto; }
footer, noscript, .loading { display: block; max-width: 1200px; margin: 0 auto; padding: 2rem 1.5rem; color: #5a6879; font-size: .9rem; }
footer a { color: var(--accent); }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .markdown p, .swagger-ui .renderedMarkdown p, .swagger-ui .info li { font-family: system-ui, sans-serif; color: var(--ink); }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .info .description { max-width: 52rem; }
.swagger-ui .info .renderedMarkdown h3 { margin: 1.8rem 0 .4rem; font: 600 1.15rem system-ui, sans-serif; color: var(--ink); }
.swagger-ui .info .renderedMarkdown p, .swagger-ui .info .renderedMarkdown li { font-size: .97rem; line-height: 1.6; }
.swagger-ui .info .renderedMarkdown pre { padding: .9rem 1.1rem; border-radius: 8px; background: var(--ink); overflow-x: auto; }
.swagger-ui .info .renderedMarkdown pre code { padding: 0; background: none; color: #e6edf3; font-size: .85rem; white-space: pre; }
.swagger-ui .info .renderedMarkdown code { padding: .1em .35em; border-radius: 4px; background: #e8edf2; color: #0a4a41; font-weight: 500; }
.swagger-ui .scheme-container { margin: 0 0 1rem; padding: 1rem 0; background: none; box-shadow: none; border-block: 1px solid var(--line); }
.swagger-ui .opblock-tag { border-bottom: 1px solid var(--line); }
.swagger-ui .opblock { border-radius: 8px; box-shadow: none; }
.swagger-ui .btn.authorize { border-color: var(--accent); color: var(--accent); }
.swagger-ui .btn.authorize svg { fill: var(--accent); }
.swagger-ui .btn.execute { border-color: var(--accent); background: var(--accent); }
@media (max-width: 640px) {
  header { position: static; flex-wrap: wrap; gap: .4rem 1.3rem; }
  .swagger-ui .wrapper { padding: 0 .75rem; }
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
