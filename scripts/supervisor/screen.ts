/** What the first start wrote to `<data dir>/first-run.json` about the demo it made. */
export interface FirstRun {
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly organizationId: string;
  readonly websiteId: string;
  readonly linkId: string;
  readonly shortUrl: string;
  readonly apiKey: string;
  readonly owner: { readonly email: string; readonly password: string };
}

/** Bots are not counted, and `curl` says that it is one: the examples send what a browser sends. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

export interface Addresses {
  readonly apiUrl: string;
  readonly trackUrl: string;
}

/** The first start: who was made, and three commands that show the whole way from a visit to an answer. */
export function firstScreen(run: FirstRun, file: string): string {
  return `
Ledgerline is running.

  API      ${run.apiUrl}
  Tracker  ${run.trackUrl}

A demo was made for you (all of it is in ${file}):

  website  ${run.websiteId}
  link     ${run.linkId}   ${run.shortUrl}
  API key  ${run.apiKey}
  owner    ${run.owner.email}   password ${run.owner.password}

Try it in another terminal:

${examples(run).map(shown).join('\n\n')}

Ctrl-C stops everything; the data stays.
`;
}

export interface Example {
  readonly does: string;
  readonly command: string;
}

/** A page view, a click on the short link, and a question about each. */
export function examples({ apiUrl, trackUrl, websiteId, linkId, shortUrl, apiKey }: FirstRun): Example[] {
  const view = '[{"name":"screen_view","anonymousId":"me","sessionId":"s1","path":"/welcome","title":"Welcome"}]';
  const ask = (subject: string, parameter: string) => `curl '${apiUrl}/v1/query?${subject}' -H 'x-api-key: ${apiKey}' \\
  -H 'Content-Type: application/json' -d '{"parameters":["${parameter}"],"preset":"last_7d"}'`;
  return [
    {
      does: 'Send a page view, as a browser would:',
      command: `curl '${trackUrl}/batch?client_id=${websiteId}' -A '${BROWSER}' \\
  -H 'Content-Type: application/json' -d '${view}'`,
    },
    { does: 'Follow the short link:', command: `curl -i '${shortUrl}' -A '${BROWSER}'` },
    { does: 'Ask which pages were seen:', command: ask(`website_id=${websiteId}`, 'top_pages') },
    { does: 'Ask how often the link was clicked:', command: ask(`link_id=${linkId}`, 'link_total_clicks') },
  ];
}

/** Every later start. */
export function laterScreen({ apiUrl, trackUrl }: Addresses, file: string | undefined): string {
  return `
Ledgerline is running.

  API      ${apiUrl}
  Tracker  ${trackUrl}${file === undefined ? '' : `\n  Demo     ids and key are in ${file}`}

Ctrl-C stops everything; the data stays.
`;
}

const shown = ({ does, command }: Example) => `${does}\n\n${command.replaceAll(/^/gm, '  ')}`;
