import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { AlertPause } from '@ledgerline/contracts/events/alert.events';
import type { Alert } from '@ledgerline/contracts/records';
import { ANONYMOUS, includesRole } from '@ledgerline/domain/access/caller';
import { authorsIn, reachOf, whyNotSent } from '@ledgerline/domain/alerts/alert-rights';
import { inOneLine } from '@ledgerline/domain/messages/message-text';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { isMailServer } from '@ledgerline/platform/outbound/mail-destination';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ActOnRecord } from '../commands/resource.commands';
import { POOL, SETTINGS } from '../tokens';
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
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** May be repeated. */
  async sweep(now: Date): Promise<void> {
    await this.live.catchUp();
    const paused: Paused[] = [];
    for (const alert of this.registry.all('alerts')) {
      const pausedFor = alert.enabled ? await this.reason(alert, now) : undefined;
      if (!pausedFor) continue;
      const action = { type: 'PauseAlert', run: () => ({ data: { pausedFor } }) };
      await this.commands.execute(new ActOnRecord(Alerts, alert, action, { caller: ANONYMOUS }));
      paused.push({ alert, pausedFor });
    }
    for (const organizationId of new Set(paused.map(({ alert }) => alert.organizationId)))
      await this.tell(
        organizationId,
        paused.filter(({ alert }) => alert.organizationId === organizationId),
      );
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

  /** Owners and admins get a mail an hour at most. */
  private async tell(organizationId: string, paused: readonly Paused[]): Promise<void> {
    if (!isMailServer(this.settings.mail)) return;
    const name = this.registry.organization(organizationId)?.name ?? '';
    const lines = paused.map(
      ({ alert, pausedFor }) =>
        `${inOneLine(alert.name)} is paused: ${SAYS[pausedFor]}.\n${this.settings.publicApiUrl}/console/organizations/${organizationId}/alerts/${alert.id}`,
    );
    const body = `${lines.join('\n\n')}\n\nWhoever enables one again sends it in their own name.\n`;
    const people = this.registry.membersOf(organizationId).filter(({ role }) => includesRole(role, 'admin'));
    await run(
      this.pool,
      sql`insert into delivery_notices (organization_id, user_id, subject, body, next_at)
        select ${organizationId}, m.id, ${`${inOneLine(name)}: alerts are paused`}, ${body}, greatest(now(), (
          select max(n.created_at) + interval '1 hour' from delivery_notices n where n.organization_id = ${organizationId}))
        from unnest(${people.map(({ userId }) => userId)}::text[]) as m (id)`,
    );
  }
}
