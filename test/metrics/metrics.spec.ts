import { getHeapStatistics } from 'node:v8';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import request from 'supertest';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { POOL } from '../../apps/api/src/tokens';
import { ProjectorModule } from '../../apps/projector/src/projector.module';
import { BROWSER } from '../../scripts/supervisor/screen';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { documentAt } from '../docs/documents';
import { freePort } from '../network/free-port';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { waitUntil } from '../wait-until';
import { namesIn, samplesIn, type Sample } from './exposition';

const TOKEN = 'a-token-for-those-who-watch';

describe('the metrics', () => {
  it('of the api count requests by route, appends and connections', async () => {
    await ask(api, `GET /v1/websites/${owner.websiteId}`, owner);
    const { status, headers, text } = await ask(api, 'GET /metrics', AUTHORIZED);
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const samples = samplesIn(text);
    const requests = 'ledgerline_http_request_duration_seconds_count';
    expect(valueOf(samples, requests, { method: 'GET', route: '/v1/websites/:id', status: '200' })).toBe(1);
    expect(valueOf(samples, requests, { method: 'POST', route: '/v1/websites', status: '201' })).toBe(1);
    expect(
      valueOf(samples, 'ledgerline_event_store_append_duration_seconds_count', { outcome: 'stored' }),
    ).toBeGreaterThanOrEqual(2);
    expect(valueOf(samples, 'ledgerline_pool_limit', { pool: 'api' })).toBe(api.app.get<Pool>(POOL).options.max);
    expect(text).not.toContain(owner.websiteId);
  });

  it('of the tracker count events, duplicates and redirects', async () => {
    const event = { name: 'screen_view', path: '/', anonymousId: 'a', sessionId: 's', eventId: 'one' };
    for (let times = 0; times < 2; times++)
      await request(tracker.app.getHttpServer())
        .post('/batch?client_id=site_1')
        .set('user-agent', BROWSER)
        .send([event])
        .expect(200);
    await request(tracker.app.getHttpServer()).get('/spring').set('user-agent', BROWSER).expect(302);
    const { text } = await request(tracker.app.getHttpServer()).get('/metrics').expect(200);
    const samples = samplesIn(text);
    const events = 'ledgerline_intake_events_total';
    expect(valueOf(samples, events, { type: 'PageViewed', outcome: 'stored' })).toBe(1);
    expect(valueOf(samples, events, { type: 'PageViewed', outcome: 'duplicate' })).toBe(1);
    expect(valueOf(samples, 'ledgerline_http_request_duration_seconds_count', { route: '/:slug', status: '302' })).toBe(
      1,
    );
    expect(valueOf(samples, 'ledgerline_intake_append_duration_seconds_count', { outcome: 'stored' })).toBeGreaterThan(
      1,
    );
    expect(valueOf(samples, 'ledgerline_click_spool_files', {})).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain('spring');
  });

  it('of the projector say how far every partition is', async () => {
    const lags = () =>
      projectorSamples().then((all) => all.filter(({ name }) => name === 'ledgerline_projection_lag_seconds'));
    const groups = async () => [...new Set((await lags()).map(({ labels }) => labels['group']))].sort();
    expect(await groups()).toEqual(['links', 'monitors', 'registry', 'websites']);
    await waitUntil(lags, (all) => all.every(({ value }) => value === 0));
    const samples = await projectorSamples();
    expect(valueOf(samples, 'ledgerline_projection_stopped', { group: 'registry', partition: '0' })).toBe(0);
    expect(valueOf(samples, 'ledgerline_projection_parked_events', { group: 'links', partition: '0' })).toBe(0);
    expect(valueOf(samples, 'ledgerline_projection_events', { group: 'registry', partition: '0' })).toBeGreaterThan(1);
    expect(valueOf(samples, 'ledgerline_sealing_faults', {})).toBe(0);
    expect(
      samples.filter(({ name }) => name === 'ledgerline_projection_step_duration_seconds_count').length,
    ).toBeGreaterThan(0);
    expect((await fetch(`${projectorUrl}/other`, AUTHORIZED)).status).toBe(404);
  });

  it('have a health check beside them in the projector, which needs no token', async () => {
    const answer = await fetch(`${projectorUrl}/health`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('of a process are among them', async () => {
    const metrics = new Metrics();
    metrics.observeProcess();
    const text = await metrics.text();
    expect(namesIn(text)).toEqual(
      expect.arrayContaining([
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
        'nodejs_eventloop_lag_seconds',
        'nodejs_array_buffers_bytes',
      ]),
    );
    expect(text).toContain(`\nnodejs_heap_size_limit_bytes ${getHeapStatistics().heap_size_limit}\n`);
    metrics.registry.clear();
  });

  it('explain themselves, and have all that docs/operating.md watches', async () => {
    const texts = [
      (await ask(api, 'GET /metrics', AUTHORIZED)).text,
      (await request(tracker.app.getHttpServer()).get('/metrics')).text,
      await (await fetch(`${projectorUrl}/metrics`, AUTHORIZED)).text(),
    ];
    const names = texts.flatMap(namesIn);
    const explained = texts.flatMap((text) =>
      [...text.matchAll(/^# HELP (ledgerline_\w+) \w.+$/gm)].map(([, name]) => name!),
    );
    expect([...new Set(explained)].sort()).toEqual([...new Set(names)].sort());
    const watched = [...documentAt('docs/operating.md').text.matchAll(/`(ledgerline_\w+)`/g)].map(([, name]) => name!);
    expect(watched.length).toBeGreaterThan(20);
    expect(watched.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('who may read the metrics', () => {
  it('has the token, if there is one', async () => {
    expect(await ask(api, 'GET /metrics')).toMatchObject({ status: 401, body: { code: 'AUTH_REQUIRED' } });
    const wrong = { headers: { authorization: 'Bearer another-token-that-is-wrong' } };
    expect(await ask(api, 'GET /metrics', wrong)).toMatchObject({ status: 401 });
    expect((await fetch(`${projectorUrl}/metrics`)).status).toBe(401);
    expect(await ask(api, 'GET /metrics', AUTHORIZED)).toMatchObject({ status: 200 });
  });

  it.each([
    ['was passed on by a proxy', { 'x-forwarded-for': '203.0.113.9' }],
    ['names another host', { host: 'stats.example.com' }],
  ])('is of this machine without a token, and not one that %s', async (_, headers) => {
    const answer = await request(tracker.app.getHttpServer()).get('/metrics').set(headers);
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([403, 'FORBIDDEN']);
  });
});

const AUTHORIZED = { headers: { authorization: `Bearer ${TOKEN}` } };

function valueOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>): number {
  const found = samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  if (!found) throw new Error(`${name} ${JSON.stringify(labels)} is missing`);
  return found.value;
}

const projectorSamples = async (): Promise<readonly Sample[]> =>
  samplesIn(await (await fetch(`${projectorUrl}/metrics`, AUTHORIZED)).text());

let api: TestApi;
let owner: Owner;
let tracker: RunningTracker;
let projector: INestApplicationContext;
let projectorUrl: string;

beforeAll(async () => {
  const port = await freePort();
  api = await startTestApi({ METRICS_TOKEN: TOKEN, PROJECTOR_METRICS_PORT: String(port), LISTEN_ADDRESS: '127.0.0.1' });
  owner = await ownerWithWebsite(api);
  tracker = await startTracker();
  await tracker.registerWebsite('site_1');
  await tracker.createLink('link_1', { slug: 'spring' });
  const module = ProjectorModule.with(api.settings, createLogger('projector', 'fatal'));
  projector = await NestFactory.createApplicationContext(module, { logger: false });
  projectorUrl = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  await projector.close();
  await tracker.stop();
  await api.close();
});
