/** Evaluates flags with the official providers of OpenFeature, for servers and for pages, and prints the answers. */
import { OFREPApi } from '@openfeature/ofrep-core';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { OpenFeature as PageFeatures } from '@openfeature/web-sdk';

const { API_URL, WEBSITE_ID, API_KEY, PEOPLE } = process.env;
const baseUrl = `${API_URL}/public/v1/flags`;
const headers = [
  ['databuddy-client-id', WEBSITE_ID],
  ['x-api-key', API_KEY],
];
OpenFeature.setLogger({ error() {}, warn() {}, info() {}, debug() {} }); // an evaluation that fails is in the answers
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl, headers }));
const client = OpenFeature.getClient();

const ada = { targetingKey: 'u1', email: 'ada@example.com', plan: 'team' };
const answers = {
  rule: await client.getBooleanDetails('new-checkout', false, ada),
  other: await client.getBooleanDetails('new-checkout', false, { targetingKey: 'u2' }),
  text: await client.getStringDetails('colour', 'grey', ada),
  number: await client.getNumberDetails('size', 1, ada),
  object: await client.getObjectDetails('layout', {}, ada),
  missing: await client.getBooleanDetails('none', true, ada),
  mistyped: await client.getBooleanDetails('colour', true, ada),
  nobody: await client.getBooleanDetails('new-checkout', true, {}),
  odd: await client.getBooleanDetails('new-checkout', false, { ...ada, email: null, teamId: 7, tags: ['a', {}] }),
};

const included = [];
for (let n = 0; n < Number(PEOPLE); n++)
  if (await client.getBooleanValue('quarter', false, { targetingKey: `u${n}` })) included.push(n);

const api = new OFREPApi(baseUrl);
const bulk = (more = []) => api.postBulkEvaluateFlags({ context: ada }, { headers: [...headers, ...more] });
const first = await bulk();
const again = await bulk([['If-None-Match', first.httpResponse.headers.get('etag')]]);
const all = { flags: first.value.flags, again: { status: again.httpStatus, value: again.value ?? null } };

// a page on which one person after the other signs in, and the last one out
const page = [];
await PageFeatures.setContext(ada);
const options = { baseUrl, headers, pollInterval: 0, cacheMode: 'disabled' };
await PageFeatures.setProviderAndWait(new OFREPWebProvider(options));
const people = [ada, { targetingKey: 'u2', email: null, plan: ['free'] }, ada, {}];
for (const person of people) {
  await PageFeatures.setContext(person);
  page.push(PageFeatures.getClient().getBooleanDetails('new-checkout', false));
}

console.log(JSON.stringify({ ...answers, included, all, page }));
