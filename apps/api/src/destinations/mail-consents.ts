import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Destination } from '@ledgerline/contracts/records';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type MailTarget, addressIn, linkToken, mailLink } from '@ledgerline/platform/outbound/mail-destination';
import { conflict } from '../http/problems';
import { Mailer } from '../identity/accounts/mailer';
import { POOL, SETTINGS } from '../tokens';

const DAY_MS = 24 * 60 * 60_000;
const LINK_DAYS = 7;
const MAX_OF_ADDRESS = 3;
const MAX_OF_ORGANIZATION = 20;

interface Asked {
  readonly organizationId: string;
  readonly address: string;
}

/** Asks addressees whether they want mails, and remembers that they do not: an address only as its keyed hash. */
@Injectable()
export class MailConsents {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(POOL) private readonly pool: Pool,
    private readonly mailer: Mailer,
    private readonly registry: Registry,
  ) {}

  /** @throws Problem CONFLICT where the addressee is not to be asked */
  async assertMayAsk({ organizationId, address }: Asked): Promise<void> {
    const hash = this.hashOf(address);
    const [row] = await run<{ ofAddress: number; ofOrganization: number; isUnwanted: boolean }>(
      this.pool,
      sql`select
          count(*) filter (where said = 'asked' and address_hash = ${hash} and at > now() - interval '7 days')::integer as "ofAddress",
          count(*) filter (where said = 'asked' and organization_id = ${organizationId} and at > now() - interval '1 day')::integer
            as "ofOrganization",
          coalesce(bool_or(said = 'withdrawn' and address_hash = ${hash} and organization_id = ${organizationId}), false) as "isUnwanted"
        from destination_consents where at > now() - interval '90 days'
          and (address_hash = ${hash} or organization_id = ${organizationId})`,
    );
    if (row?.isUnwanted === true) throw conflict('The addressee wants no mails, and is not asked again for 90 days');
    if ((row?.ofAddress ?? 0) >= MAX_OF_ADDRESS)
      throw conflict(`This address has been asked ${MAX_OF_ADDRESS} times in a week; try again later`);
    if ((row?.ofOrganization ?? 0) >= MAX_OF_ORGANIZATION)
      throw conflict(`This organization has asked ${MAX_OF_ORGANIZATION} addresses in a day; try again later`);
  }

  /** Sends the mail with the link that confirms. */
  async ask({ id, organizationId }: Destination, target: MailTarget): Promise<void> {
    const address = addressIn(target);
    await this.remember({ organizationId, address }, 'asked');
    const name = this.registry.organization(organizationId)?.name ?? '';
    const link = (which: 'confirm' | 'unsubscribe', until: number | null) =>
      mailLink(this.settings, which, id, linkToken(target, which, id, until));
    this.mailer.send({
      to: address,
      subject: `Mails of ${name}`.replaceAll(/\s+/g, ' '),
      text: `${name} wants to mail this address what happens to its monitors, or reports of its websites, from ${this.settings.publicApiUrl}.

If you want these mails, open this address within ${LINK_DAYS} days:

${link('confirm', Date.now() + LINK_DAYS * DAY_MS)}

If not, ignore this mail: nothing is sent. So that you are not asked again, open this one:

${link('unsubscribe', null)}
`,
    });
  }

  async remember({ organizationId, address }: Asked, said: 'asked' | 'withdrawn'): Promise<void> {
    await run(
      this.pool,
      sql`insert into destination_consents (organization_id, address_hash, said) values (${organizationId}, ${this.hashOf(address)}, ${said})`,
    );
  }

  private hashOf(address: string): Buffer {
    return createHmac('sha256', this.settings.keyPepper).update(`mail\n${address.toLowerCase()}`).digest();
  }
}
