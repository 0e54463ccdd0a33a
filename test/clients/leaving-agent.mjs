/**
 * What an agent does with the question where people from a campaign leave, by the Model Context Protocol alone: finds a
 * funnel, or creates one, looks for the step that loses most, and asks who leaves there and what they do instead.
 * `node test/clients/leaving-agent.mjs URL KEY UTM_SOURCE`
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [, , url = 'http://localhost:3000/v1/mcp', key = '', source = 'newsletter'] = process.argv;

const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
const requestInit = { headers: { authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
await client.listTools();

async function use(name, args) {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
  if (!isError) return structuredContent;
  throw new Error(`${name}: ${content[0].text}`);
}

const rowsOf = ({ data }, name) => data.find(({ parameter }) => parameter === name).data;
const page = (path) => ({ condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] } });

const [website] = (await use('list_websites', {})).websites;
let [funnel] = (await use('list_funnels', {})).funnels;
if (!funnel) {
  const steps = ['/news', '/pricing', '/cart', '/paid'].map(page);
  const wanted = { websiteId: website.id, name: 'To the order', steps };
  const preview = await use('create_funnel', wanted);
  console.log(`${preview.note}`);
  ({ funnel } = await use('create_funnel', { ...wanted, confirm: true }));
}

const range = { preset: 'last_7d' };
const filters = [{ field: 'utm_source', op: 'eq', value: source }];
const counted = await use('get_funnel_analytics', { funnelId: funnel.id, ...range, filters });
const steps = rowsOf(counted, 'funnel');
const worst = steps.reduce((most, step) => (step.dropped > most.dropped ? step : most));
const bySource = await use('get_funnel_analytics', { funnelId: funnel.id, ...range, by: 'utm_source' });
const others = rowsOf(bySource, 'funnel').filter(({ value, step }) => value !== source && step === worst.step);

const parameters = [
  { name: 'funnel_visitors', funnel: funnel.id, step: worst.step, state: 'dropped' },
  { name: 'journeys', from: funnel.steps[worst.step - 1].condition, steps: 1 },
];
const asked = await use('query', { websiteId: website.id, ...range, filters, parameters });
const left = rowsOf(asked, 'funnel_visitors');
const [beginning, next] = rowsOf(asked, 'journeys');

console.log(`Of ${steps[0].reached} visitors from ${source}, ${steps.at(-1).reached} got through "${funnel.name}".`);
console.log(`Most left after step ${worst.step} (${worst.name}): ${worst.dropped} of ${worst.reached}.`);
for (const { value, reached, dropped } of others) console.log(`From ${value}, ${dropped} of ${reached} left there.`);
console.log(
  `They are ${left.length} visitors. Of ${beginning.sessions} visits that saw it, ${beginning.ended} ended there.`,
);
console.log(`Most that went on went to ${next.path[0]} (${next.sessions}).`);
await client.close();
