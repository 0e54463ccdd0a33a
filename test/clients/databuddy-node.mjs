/** Sends with the published Node client what the spec expects, and prints what the client says of each call. */
import { Databuddy } from '@databuddy/sdk/node';

const { API_URL: apiUrl, API_KEY: apiKey } = process.env;
const client = (more = {}) => new Databuddy({ apiKey, websiteId: 'site_1', apiUrl, ...more });

const single = await client({ enableBatching: false }).track({ name: 'single', eventId: 's1' });

const batching = client({ source: 'backend', namespace: 'jobs' });
batching.setGlobalProperties({ region: 'eu' });
for (let n = 0; n < 3; n++) await batching.track({ name: 'batched', eventId: `b${n}`, anonymousId: 'anon_1' });
const flushed = await batching.flush();

const traits = { name: 'Ada', plan: 'team' };
const identified = await client().identify({ profileId: 'customer-7', anonymousId: 'anon_1', traits });

const refused = await client({ apiKey: 'svc_wrong', enableBatching: false }).track({ name: 'refused' });

console.log(JSON.stringify({ single, flushed, identified, refused }));
