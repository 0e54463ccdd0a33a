/**
 * What an agent does with a question about a website and a short link, by the Model Context Protocol alone: looks around,
 * asks, and explains. `node test/clients/agent.mjs URL KEY WEBSITE LINK` with words that name the two.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [, , url = 'http://localhost:3000/v1/mcp', key = '', aboutWebsite = '', aboutLink = ''] = process.argv;

const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const requestInit = { headers: { authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
const { tools } = await client.listTools();

async function use(name, args) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  if (!isError) return structuredContent;
  throw new Error(`${name}: ${content[0].text}`);
}

/** The rows of each query type by its name. */
async function ask(args) {
  const { data } = await use('query', args);
  return Object.fromEntries(data.map(({ parameter, data }) => [parameter, data]));
}

const typeFor = async (search) => (await use('list_query_types', { search, about: 'website' })).types[0].name;

const [website] = (await use('list_websites', { search: aboutWebsite || undefined })).websites;
const sources = await typeFor('traffic source direct');
const [
  {
    summary_metrics: [summary],
  },
  { top_pages: pages },
  { [sources]: from },
] = await Promise.all([
  ask({ websiteId: website.id, parameters: ['summary_metrics'], preset: 'last_30d' }),
  ask({ websiteId: website.id, parameters: ['top_pages'], preset: 'last_30d', limit: 1 }),
  ask({ websiteId: website.id, parameters: [sources], preset: 'last_30d', limit: 1 }),
]);

const [link] = (await use('list_links', { search: aboutLink || undefined })).links;
const clicks = await ask({
  linkId: link.id,
  parameters: ['link_total_clicks', 'link_clicks_by_day', 'link_top_referrers', 'link_top_countries'],
  preset: 'last_30d',
});
const busiest = clicks.link_clicks_by_day.reduce((most, day) => (day.clicks > most.clicks ? day : most));
const top = (rows) => rows[0]?.name ?? 'nowhere yet';

console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}.`);
console.log(`${website.name} had ${summary.unique_visitors} visitors with ${summary.pageviews} page views in 30 days.`);
console.log(`Its most visited page was ${top(pages)}; most visits came from ${top(from)}.`);
console.log(
  `${link.name} (${link.shortUrl}) leads to ${link.targetUrl} and was clicked ${clicks.link_total_clicks[0].total} times, ` +
    `most on ${busiest.date} (${busiest.clicks}), mostly from ${top(clicks.link_top_referrers)} and ${top(clicks.link_top_countries)}.`,
);
await client.close();
