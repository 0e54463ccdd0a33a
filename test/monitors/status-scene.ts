import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { monitorCheck } from './random-checks';

const HOUR_MS = 3_600_000;

/** An api with organizations that show status pages of monitors whose checks are written here. */
export class StatusScene {
  private slugs = 0;

  private constructor(
    readonly api: TestApi,
    private readonly projector: DirectProjector,
    readonly owner: Owner,
  ) {}

  static async open(): Promise<StatusScene> {
    const api = await startTestApi({ LIMIT_PUBLIC_PER_MINUTE: '100000' });
    const projector = await projectInto(api.settings.databaseUrl);
    return new StatusScene(api, projector, await ownerWithWebsite(api));
  }

  async close(): Promise<void> {
    await this.projector.close();
    await this.api.close();
  }

  /** The id of a new monitor. */
  monitor(name: string, more: object = {}): Promise<string> {
    return this.created('/v1/monitors', { name, url: 'https://example.com/', intervalSeconds: 3_600, ...more });
  }

  /** The id and the slug of a new public page. */
  async page(monitorIds: readonly string[], more: object = {}): Promise<{ id: string; slug: string }> {
    const slug = `page-${++this.slugs}`;
    const id = await this.created('/v1/status-pages', { slug, name: 'Shop', monitorIds, isPublic: true, ...more });
    return { id, slug };
  }

  incident(pageId: string, more: object = {}): Promise<string> {
    const incident = { title: 'Orders fail', severity: 'minor', message: 'We are looking.', ...more };
    return this.created(`/v1/status-pages/${pageId}/incidents`, incident, {});
  }

  /** Changes an incident, or reports how it goes on. */
  update(pageId: string, incidentId: string, body: object): Promise<void> {
    return this.change(`/v1/status-pages/${pageId}/incidents/${incidentId}`, body);
  }

  pause(monitorId: string): Promise<void> {
    return this.change(`/v1/monitors/${monitorId}`, { paused: true });
  }

  /** Hourly checks of so many hours up to now, which fail where `fails` says so by the hours before now. */
  async checks(
    monitorId: string,
    hours: number,
    fails: (hoursAgo: number) => boolean = () => false,
    more: Partial<MonitorChecked['data']> = {},
  ): Promise<void> {
    const now = Date.now();
    const checks = Array.from({ length: hours }, (_, n) => {
      const ago = hours - 1 - n;
      const up = !fails(ago);
      return monitorCheck(monitorId, now - ago * HOUR_MS, {
        up,
        intervalSeconds: 3_600,
        durationMs: 120 + (n % 50),
        ...more,
      });
    });
    await this.projector.send(monitorId, checks, 5_000);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}) {
    return ask(this.api, `GET ${path}`, { headers });
  }

  private async change(path: string, body: object): Promise<void> {
    const { status, text } = await ask(this.api, `PATCH ${path}`, { body, headers: this.owner.headers });
    if (status !== 200) throw new Error(`PATCH ${path} failed: ${text}`);
  }

  private async created(path: string, details: object, more: object = { organizationId: this.owner.organizationId }) {
    const { headers } = this.owner;
    const answer = await ask(this.api, `POST ${path}`, { body: { ...more, ...details }, headers });
    if (answer.status !== 201) throw new Error(`POST ${path} failed: ${answer.text}`);
    return answer.body.id as string;
  }
}
