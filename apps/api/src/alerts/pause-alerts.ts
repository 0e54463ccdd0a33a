import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { AlertPause } from '@ledgerline/contracts/events/alert.events';
import type { Alert } from '@ledgerline/contracts/records';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { authorsIn, reachOf, whyNotSent } from '@ledgerline/domain/alerts/alert-rights';
import { inOneLine } from '@ledgerline/domain/messages/message-text';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ActOnRecord } from '../commands/resource.commands';
import { AdminNotices } from '../organizations/admin-notices';
import { SETTINGS } from '../tokens';
import { Alerts } from './alerts';

interface Paused {
  readonly alert: Alert;
  readonly pausedFor: AlertPause;
}

const SAYS: Readonly<Record<AlertPause, string>> = {
  rights: 'the one who made it may not send it any more',
  goal: 'its goal is deleted',
  segment: 'its segment is deleted',
  link: 'its link is deleted',
};

/** Pauses alerts whose authors lost the right to send them, or that name what is deleted, and tells owners and admins. */
@Injectable()
export class AlertPauses {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly links: LinkLookup,
    private readonly commands: CommandBus,
    private readonly notices: AdminNotices,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicApiUrl'>,
  ) {}

  /** May be repeated: admins are mailed before, once about the same. */
  async sweep(now: Date): Promise<void> {
    await this.live.catchUp();
    const due: Paused[] = [];
    for (const alert of this.registry.all('alerts')) {
      const pausedFor = alert.enabled ? await this.reason(alert, now) : undefined;
      if (pausedFor) due.push({ alert, pausedFor });
    }
    for (const organizationId of new Set(due.map(({ alert }) => alert.organizationId))) {
      const own = due.filter(({ alert }) => alert.organizationId === organizationId);
      await this.tell(organizationId, own);
    }
    for (const { alert, pausedFor } of due) {
      const action = { type: 'PauseAlert', run: () => ({ data: { pausedFor } }) };
      await this.commands.execute(new ActOnRecord(Alerts, alert, action, { caller: ANONYMOUS }));
    }
  }

  private async reason(alert: Alert, now: Date): Promise<AlertPause | undefined> {
    const { organizationId, goalId, segment, linkId } = alert;
    if (goalId !== null && !this.registry.find('goals', goalId)) return 'goal';
    if (segment !== null && !this.registry.find('segments', segment)) return 'segment';
    if (linkId !== null && !(await this.links.byId(linkId, [organizationId]))) return 'link';
    const reach = reachOf(alert.author, alert, authorsIn(this.registry), now);
    const isClosed = (id: string) => whyNotSent(this.registry.find('destinations', id), alert, reach) === 'closed';
    return reach === 'none' || alert.destinationIds.some(isClosed) ? 'rights' : undefined;
  }

  private async tell(organizationId: string, paused: readonly Paused[]): Promise<void> {
    const name = this.registry.organization(organizationId)?.name ?? '';
    const page = `${this.settings.publicApiUrl}/console/organizations/${organizationId}/alerts`;
    const lines = paused.map(
      ({ alert, pausedFor }) => `${inOneLine(alert.name)} is paused: ${SAYS[pausedFor]}.\n${page}/${alert.id}`,
    );
    await this.notices.notify({
      organizationId,
      about: paused.map(({ alert: { id, revision } }) => `${id} ${revision}`).join(),
      subject: `${inOneLine(name)}: alerts are paused`,
      body: `${lines.join('\n\n')}\n\nWhoever enables one again sends it in their own name.\n`,
    });
  }
}
