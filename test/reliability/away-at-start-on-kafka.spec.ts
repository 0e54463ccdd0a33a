import { untilAnswer } from '../journeys/product';
import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { Installation } from './installation';
import { clicksOn, logged } from './log-audit';
import { untilSpoolIsEmpty } from './spooled-clicks';
import { AS_BROWSER, newTenant, untilTrackerHasCaughtUp, type Tenant } from './tenant';
import { untilCopied } from './until-copied';

jest.setTimeout(300_000);

describeOnKafka(
  'processes that start while Kafka is away',
  () => {
    let cluster: KafkaCluster;
    let place: Installation;
    let tenant: Tenant;
    let proxy: BreakableProxy;

    beforeAll(async () => {
      cluster = await startKafka();
      const variables = { INTAKE_LOG: 'kafka', KAFKA_BROKERS: cluster.connection.brokers.join(',') };
      place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, variables, {
        through: async (databaseUrl) => {
          const server = new URL(databaseUrl);
          proxy = await proxyTo(server.hostname, Number(server.port));
          return Object.assign(server, { host: `127.0.0.1:${proxy.port}` }).href;
        },
      });
      tenant = await newTenant(place.url('api'));
      await untilTrackerHasCaughtUp(place.url('tracker'));
    });
    afterAll(async () => {
      await place.close();
      await proxy.close();
      await cluster.remove();
    });

    it('redirect, keep the clicks on disk, refuse hits, and go on by themselves when it is back', async () => {
      await cluster.kill(0);
      await place.replaceAll();
      const pids = pidsNow();
      await untilAnswer(
        () => fetch(shortLink(), { redirect: 'manual', headers: AS_BROWSER }),
        ({ status }) => status === 302,
      );
      const refused = await hit();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      await cluster.start(0);
      await untilAnswer(
        () => hit(),
        ({ status }) => status === 200,
      );
      await untilSpoolIsEmpty(place.folder);
      await untilCopied(place.databaseUrl);
      const log = await logged(place.databaseUrl);
      expect(log.filter(({ type }) => type === 'PageViewed')).toHaveLength(1);
      expect(clicksOn(tenant.linkId, log)).toHaveLength(1);
      expect(pidsNow()).toEqual(pids);
      expect(place.failures()).toEqual([]);
    });

    it('accept hits while Postgres hangs, and answer what needs it within eight seconds', async () => {
      await untilAnswer(
        () => hit(),
        ({ status }) => status === 200,
      );
      proxy.swallow();
      expect((await hit()).status).toBe(200);
      expect((await hit({ 'x-api-key': tenant.key })).status).toBe(503);
      const other = await fetch(`${shortLink()}x`, { redirect: 'manual', signal: AbortSignal.timeout(8_000) });
      expect(other.status).toBe(503);
      await proxy.mend();
      await untilAnswer(
        () => hit({ 'x-api-key': tenant.key }),
        ({ status }) => status === 200,
      );
    });

    const pidsNow = () => place.apps.map(({ service }) => service.pid);
    const shortLink = () => `${place.url('tracker')}/${tenant.slug}`;
    const hit = (headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${place.url('tracker')}/batch?client_id=${tenant.websiteId}`, {
        method: 'POST',
        headers: { ...AS_BROWSER, 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(8_000),
        body: JSON.stringify([{ name: 'screen_view', eventId: 'one', anonymousId: 'me', sessionId: 's', path: '/' }]),
      });
  },
  { ownBrokers: true },
);
