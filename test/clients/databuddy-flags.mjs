/** Asks for flags with the published client what the spec expects, and prints the answers. */
import { createServerFlagsManager } from '@databuddy/sdk/node';

const { API_URL: apiUrl, WEBSITE_ID: clientId } = process.env;
const config = { clientId, apiUrl, environment: 'live' };
const flags = createServerFlagsManager(config);

const ada = { userId: 'u1', email: 'ada@example.com', properties: { plan: 'team' } };
const [rule, variant, missing] = await Promise.all(
  ['new-checkout', 'colour', 'none'].map((key) => flags.getFlag(key, ada)),
);
const other = await flags.getFlag('new-checkout', { userId: 'u2' });
const eager = createServerFlagsManager({ ...config, user: ada, autoFetch: true });
await eager.waitForInit();
const all = eager.getMemoryFlags();
const unknown = await createServerFlagsManager({ clientId: 'site_none', apiUrl }).getFlag('new-checkout', ada);
for (const each of [flags, eager]) each.destroy();

console.log(JSON.stringify({ rule, variant, missing, other, all, unknown }));
