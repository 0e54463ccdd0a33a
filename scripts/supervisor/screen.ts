/** The demo that the first start created, as saved in `<data dir>/first-run.json`. */
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

/** The examples send a browser's user agent, because `curl`'s own is recognised as a bot, and bots are not counted. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

export interface PublicUrls {
  readonly apiUrl: string;
  readonly trackUrl: string;
}

/** Returns what the first start prints: the demo, and commands that send a page view and a click and query both. */
export function firstScreen(run: FirstRun, file: string): string {
  return `
Ledgerline is running.

  Console  ${run.apiUrl}/console
  API      ${run.apiUrl}
  Tracker  ${run.trackUrl}

A demo was created for you (saved in ${file}):

  website  ${run.websiteId}
  link     ${run.linkId}   ${run.shortUrl}
  API key  ${run.apiKey}
  owner    ${run.owner.email}   password ${run.owner.password}   (signs in to the console)

Fill it with two months of simulated visitors, in another terminal:

  npm run simulate

Or try it by hand:

${examples(run).map(shown).join('\n\n')}

Press Ctrl-C to stop; the data is kept.
`;
}

interface Example {
  readonly does: string;
  readonly command: string;
}

/** A page view, a click on the short link, and a query of each. */
export function examples({ apiUrl, trackUrl, websiteId, linkId, shortUrl, apiKey }: FirstRun): Example[] {
  const view = '[{"name":"screen_view","anonymousId":"me","sessionId":"s1","path":"/welcome","title":"Welcome"}]';
  const ask = (subject: string, parameter: string) => `curl '${apiUrl}/v1/query?${subject}' -H 'x-api-key: ${apiKey}' \\
  -H 'Content-Type: application/json' -d '{"parameters":["${parameter}"],"preset":"last_7d"}'`;
  return [
    {
      does: 'Send a page view as a browser does:',
      command: `curl '${trackUrl}/batch?client_id=${websiteId}' -A '${BROWSER}' \\
  -H 'Content-Type: application/json' -d '${view}'`,
    },
    { does: 'Follow the short link:', command: `curl -i '${shortUrl}' -A '${BROWSER}'` },
    { does: 'Query the top pages:', command: ask(`website_id=${websiteId}`, 'top_pages') },
    { does: 'Query the clicks of the link:', command: ask(`link_id=${linkId}`, 'link_total_clicks') },
  ];
}

/** Returns what every later start prints. */
export function laterScreen({ apiUrl, trackUrl }: PublicUrls, file: string | undefined): string {
  return `
Ledgerline is running.

  Console  ${apiUrl}/console
  API      ${apiUrl}
  Tracker  ${trackUrl}${file === undefined ? '' : `\n  Demo     ids and key are in ${file}`}

Press Ctrl-C to stop; the data is kept.
`;
}

const shown = ({ does, command }: Example) => `${does}\n\n${command.replaceAll(/^/gm, '  ')}`;
