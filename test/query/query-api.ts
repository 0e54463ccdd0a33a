import { randomBytes } from 'node:crypto';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { ask, type Answer } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { pageView } from '../events/observed-events';
import { projectInto, type DirectProjector } from './projected-database';

/** An api with a website that was visited on one day: three page views of two visitors. */
export interface QueryApi {
  readonly api: TestApi;
  readonly owner: Owner;
  /** The secret of a key that may read everything of the owner's organization. */
  readonly key: string;
  /** Asks the website, with more in the query string or other headers. */
  question(body: object, more?: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  readonly projector: DirectProjector;
  /** Projects further events of the website. */
  send(events: readonly WebsiteObservedEvent[]): Promise<void>;
  close(): Promise<void>;
}

export const DAY = '2026-03-02';

export async function startQueryApi(variables: Readonly<Record<string, string>> = {}): Promise<QueryApi> {
  const api = await startTestApi(variables);
  const database = await projectInto(api.settings.databaseUrl);
  const owner = await ownerWithWebsite(api);
  const key = await newKey(api, owner, { scopes: ['read:data'] });
  const at = Date.parse(`${DAY}T10:00:00Z`);
  const { websiteId } = owner;
  const visitorId = randomBytes(16).toString('hex');
  await database.send(websiteId, [
    pageView(at, { websiteId, visitorId, country: 'DE' }),
    pageView(at + 60_000, { websiteId, visitorId, country: 'DE', path: '/=1+1' }),
    pageView(at, { websiteId, country: null }),
  ]);
  return {
    api,
    owner,
    key,
    projector: database,
    question: (body, more = '', headers = {}) =>
      ask(api, `POST /v1/query?website_id=${websiteId}${more}`, { body, headers: { 'x-api-key': key, ...headers } }),
    send: (events) => database.send(websiteId, events),
    async close() {
      await database.close();
      await api.close();
    },
  };
}

/** Returns what an answer says of its range and figures, without the moment at which it was given. */
export function timelessMeta({ body }: Answer): object {
  const { asOf: _asOf, lagMs: _lagMs, ...meta } = body.meta as Record<string, unknown>;
  return meta;
}

/** The rows of the first parameter of an answer. */
export const rowsOf = ({ body }: Answer): readonly Record<string, unknown>[] =>
  (body.data as { data: Record<string, unknown>[] }[])[0]?.data ?? [];
