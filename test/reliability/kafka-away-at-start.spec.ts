import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { untilAnswer } from '../journeys/product';
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

    beforeAll(async () => {
      cluster = await startKafka();
      const variables = { INTAKE_LOG: 'kafka', KAFKA_BROKERS: cluster.connection.brokers.join(',') };
      place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, variables);
      tenant = await newTenant(place.url('api'));
      await untilTrackerHasCaughtUp(place.url('tracker'));
    });
    afterAll(async () => {
      await place.close();
      await cluster.remove();
    });

    it('redirect, keep the clicks on disk, refuse hits, and go on by themselves when it is back', async () => {
      await cluster.kill(0);
      await place.replaceAll();
      const pids = pidsNow();
      expect((await fetch(shortLink(), { redirect: 'manual', headers: AS_BROWSER })).status).toBe(302);
      const refused = await hit();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      await cluster.start(0);
      await untilAnswer(hit, ({ status }) => status === 200);
      await untilSpoolIsEmpty(place.folder);
      await untilCopied(place.databaseUrl);
      const log = await logged(place.databaseUrl);
      expect(log.filter(({ type }) => type === 'PageViewed')).toHaveLength(1);
      expect(clicksOn(tenant.linkId, log)).toHaveLength(1);
      expect(pidsNow()).toEqual(pids);
      expect(place.failures()).toEqual([]);
    });

    const pidsNow = () => place.apps.map(({ service }) => service.pid);
    const shortLink = () => `${place.url('tracker')}/${tenant.slug}`;
    const hit = () =>
      fetch(`${place.url('tracker')}/batch?client_id=${tenant.websiteId}`, {
        method: 'POST',
        headers: { ...AS_BROWSER, 'content-type': 'application/json' },
        body: JSON.stringify([{ name: 'screen_view', eventId: 'one', anonymousId: 'me', sessionId: 's', path: '/' }]),
      });
  },
  { ownBrokers: true },
);
