import type { ReadinessReport } from '../../apps/api/src/operations/readiness';
import { waitUntil } from '../wait-until';
import { SmallDisk } from './faults/small-disk';
import { Installation } from './installation';
import { newTenant } from './tenant';

jest.setTimeout(300_000);

describe('the readiness of an installation', () => {
  let place: Installation;
  let disk: SmallDisk | undefined;

  beforeAll(async () => {
    const prepareCluster = (directory: string) => {
      disk = SmallDisk.at(directory);
    };
    place = await Installation.open({ api: 1, tracker: 1, projector: 1 }, {}, { prepareCluster });
    await newTenant(place.url('api'));
    await until(({ status }) => status === 'ok');
  });
  afterAll(async () => {
    disk?.unmount();
    await place.close();
  });

  it.each([
    ['projector', 'answers get older'],
    ['tracker', 'hits and clicks are not recorded'],
  ] as const)('shows a %s that is paused, and that it goes on', async (name, consequence) => {
    const pid = place.all(name)[0]!.service.pid!;
    process.kill(pid, 'SIGSTOP');
    try {
      const report = await until(({ degradations }) => degradations?.some(({ kind }) => kind === 'process') === true);
      expect(report).toMatchObject({
        status: 'degraded',
        degradations: [{ kind: 'process', group: name, reason: expect.stringContaining(consequence) as string }],
      });
      expect(report.processes).toContainEqual(expect.objectContaining({ app: name, pid, status: 'silent' }));
      const metrics = await (await fetch(`${place.url('api')}/metrics`)).text();
      expect(metrics).toMatch(new RegExp(`ledgerline_process_up\\{process="${name}",host=".+",pid="${pid}"\\} 0`));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until(({ status }) => status === 'ok');
  });

  it('shows a projector that was killed, until another one takes its place', async () => {
    await place.killForGood(place.all('projector')[0]!);
    await until(({ degradations }) => degradations?.some(({ group }) => group === 'projector') === true);
    await place.startAnother('projector');
    const { processes } = await until(({ status }) => status === 'ok');
    expect(processes.map(({ app }) => app)).toEqual(['api', 'projector', 'tracker']);
  });

  it('has no row of a process that ended in order', async () => {
    const one = await place.startAnother('tracker');
    await until(({ processes }) => processes.length === 4);
    await one.service.stop();
    await until(({ processes, status }) => processes.length === 3 && status === 'ok');
    place.apps.splice(place.apps.indexOf(one), 1);
  });

  it('is that of a database that is away, and has the same processes when it is back', async () => {
    const { processes } = await until(({ status }) => status === 'ok');
    await place.stopPostgres();
    expect(await until(({ database }) => database === 'down')).toMatchObject({ status: 'unavailable' });
    await place.startPostgres();
    const again = await until(({ status }) => status === 'ok');
    expect(again.processes.map(({ app, pid }) => [app, pid])).toEqual(processes.map(({ app, pid }) => [app, pid]));
  });

  it('is that of a database on a full disk, and of one that has room again', async () => {
    if (!disk) return; // only root can mount one
    disk.fill();
    const report = await until(({ database }) => database === 'down');
    expect(report).toMatchObject({ status: 'unavailable', eventStore: expect.any(String) as string });
    disk.empty();
    await until(({ status }) => status === 'ok');
  });

  const until = (satisfies: (report: ReadinessReport) => boolean) =>
    waitUntil(
      async () => (await (await fetch(`${place.url('api')}/health/ready`)).json()) as ReadinessReport,
      satisfies,
    );
});
