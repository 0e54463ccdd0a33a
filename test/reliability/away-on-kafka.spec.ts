import { untilAnswer } from '../journeys/product';
import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { Installation } from './installation';
import { clicksOn, expectCounted, logged } from './log-audit';
import { untilSpoolIsEmpty } from './spooled-clicks';
import { AS_BROWSER, newTenant, type Tenant } from './tenant';
import { untilCopied } from './until-copied';

jest.setTimeout(600_000);

const TRIES = 5;

describeOnKafka(
  'with Kafka',
  () => {
    let cluster: KafkaCluster;
    let place: Installation;
    let tenant: Tenant;
    let clicks = 0;
    const accepted: string[] = [];

    beforeAll(async () => {
      cluster = await startKafka();
      const variables = { INTAKE_LOG: 'kafka', KAFKA_BROKERS: cluster.connection.brokers.join(',') };
      place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, variables);
      tenant = await newTenant(place.url('api'));
    });
    afterAll(async () => {
      await place.close();
      await cluster.remove();
    });

    it('a question that sends the position of a hit includes it', async () => {
      const { status, position } = await view('first');
      expect([status, position]).toEqual([200, expect.stringMatching(/^k\d+:0$/)]);
      const path = `/v1/query?website_id=${tenant.websiteId}`;
      const headers = { 'x-api-key': tenant.key, 'content-type': 'application/json', 'x-min-position': position ?? '' };
      const body = JSON.stringify({ parameters: ['top_pages'], preset: 'last_7d' });
      const answer = await (await fetch(`${place.url('api')}${path}`, { method: 'POST', headers, body })).json();
      expect(answer).toMatchObject({ data: [{ data: [{ name: '/first', pageviews: 1 }] }], meta: { notes: [] } });
    });

    it('hits are accepted while Postgres is away, and counted when it is back', async () => {
      await follow();
      await place.stopPostgres();
      for (let n = 0; n < TRIES; n++) expect(await view(`no-postgres-${n}`)).toMatchObject({ status: 200 });
      await follow();
      await place.startPostgres();
      await settled();
    });

    it('hits are refused while Kafka is away, and clicks wait on disk', async () => {
      await cluster.kill(0);
      for (let n = 0; n < TRIES; n++)
        expect(await view(`no-kafka-${n}`)).toMatchObject({
          status: 503,
          retryAfter: expect.stringMatching(/^\d+$/) as string,
        });
      await follow();
      await cluster.start(0);
      await untilAnswer(
        () => view('again'),
        ({ status }) => status === 200,
      );
      await settled();
    });

    async function view(id: string) {
      const response = await fetch(`${place.url('tracker')}/batch?client_id=${tenant.websiteId}`, {
        method: 'POST',
        headers: { ...AS_BROWSER, 'content-type': 'application/json' },
        body: JSON.stringify([
          { name: 'screen_view', eventId: id, anonymousId: 'me', sessionId: 's1', path: `/${id}` },
        ]),
      });
      await response.text();
      if (response.status === 200) accepted.push(`/${id}`);
      const { headers, status } = response;
      return { status, position: headers.get('x-log-position'), retryAfter: headers.get('retry-after') };
    }

    async function follow(): Promise<void> {
      const url = `${place.url('tracker')}/${tenant.slug}`;
      expect((await fetch(url, { redirect: 'manual', headers: AS_BROWSER })).status).toBe(302);
      clicks++;
    }

    /** Waits until everything is in the log, and compares it with what was accepted. */
    async function settled(): Promise<void> {
      await untilSpoolIsEmpty(place.folder);
      await untilCopied(place.databaseUrl);
      const log = await logged(place.databaseUrl);
      const paths = log.flatMap((event) => (event.type === 'PageViewed' ? [event.data.path] : []));
      expect([...new Set(paths)]).toHaveLength(paths.length);
      expect(accepted.filter((path) => !paths.includes(path))).toEqual([]);
      expect(clicksOn(tenant.linkId, log)).toHaveLength(clicks);
      await expectCounted(place.url('api'), tenant, log);
      expect(place.failures()).toEqual([]);
    }
  },
  { ownBrokers: true, sizedBy: 'RELIABILITY_OUTAGE_MS' },
);
