import { Readiness } from '../../apps/api/src/operations/readiness';
import { ask } from './ask';
import type { TestApi } from './test-api';

/** Asks whether an api is ready, once all that its answer says was read anew. */
export async function askReady(api: TestApi) {
  await Promise.all(api.app.get(Readiness).findings.all.map(({ poll }) => poll.once()));
  return ask(api, 'GET /health/ready');
}
