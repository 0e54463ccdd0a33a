import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { DestinationDetails, DestinationEvent } from '@ledgerline/contracts/events/destination.events';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Destination } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { isMailServer, mailAddress, maskedAddress } from '@ledgerline/platform/outbound/mail-destination';
import {
  type WebhookTarget,
  isAllowedTarget,
  isOwnHost,
  newWebhookSecret,
  rotateWebhookSecrets,
} from '@ledgerline/platform/outbound/webhook';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues, type ValueOwner } from '@ledgerline/platform/personal-data/sealed-values';
import type { CommandResult, StartedCommand } from '../commands/command-context';
import { SharedStreamResource, historyOf } from '../commands/resource';
import { conflict, invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import type { HeaderValues } from '../http/sent-headers';
import { EVENT_STORE, SETTINGS } from '../tokens';
import { DeliveryLog } from './delivery-log';
import type { DestinationDto } from './destination.dto';
import { MailConsents } from './mail-consents';

/** A destination as requests state it. */
type OpenDestination = Omit<DestinationDetails, 'origin' | 'headerNames' | 'sealed' | 'begin'> & {
  readonly url: string | null;
  readonly address: string | null;
  readonly headers: HeaderValues;
  readonly begin: number | 'now';
};
type Changes = Partial<OpenDestination>;
type CreationOf = SharedStreamResource<Destination, OpenDestination, PlainData<DestinationDto>>['create'];

/** Of the kinds that have one alone. */
const SHOWN_FORMATS: Partial<Record<Destination['kind'], 'text' | 'jsonl'>> = { mail: 'text', audit: 'jsonl' };

/** Address, headers and secrets are one encrypted value, in events and tables; those of before are made unreadable. */
@Injectable()
export class Destinations extends SharedStreamResource<Destination, OpenDestination, PlainData<DestinationDto>> {
  readonly kind = 'destinations';
  readonly defaults = { ...plainDestination, url: null, address: null, headers: {}, begin: 'now' };
  private readonly values: SealedValues<WebhookTarget>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly log: DeliveryLog,
    private readonly consents: MailConsents,
    keys: SubjectKeys,
  ) {
    super();
    this.values = new SealedValues(keys);
  }

  /** Refuses what each try would refuse, as far as that is certain without resolving names, and a place that is none. */
  override async check(changes: Changes, _: Caller, current?: Destination): Promise<void> {
    const { url = null, begin, kind, format, organizationId } = changes;
    if ((current?.kind ?? kind) === 'mail') await this.checkMail(changes, current);
    else {
      if (typeof changes.address === 'string')
        throw invalid([{ field: 'address', message: 'address belongs to a mail' }]);
      if (url !== null) this.checkAddress(new URL(url));
      else if (!current) throw invalid([{ field: 'url', message: 'url is missing' }]);
    }
    if ((current?.kind ?? kind) === 'audit' && changes.openToMembers === true)
      throw invalid([{ field: 'openToMembers', message: 'openToMembers belongs to a webhook or a mail' }]);
    if (kind !== undefined && kind !== 'webhook' && format !== undefined && format !== plainDestination.format)
      throw invalid([{ field: 'format', message: 'format belongs to a webhook' }]);
    if (current || begin === undefined || begin === 'now') return;
    if (kind !== 'audit') throw invalid([{ field: 'begin', message: 'begin belongs to an audit stream' }]);
    if (begin > (await this.nextPlace(organizationId ?? '')))
      throw invalid([{ field: 'begin', message: 'begin must not lie after the next entry of the audit log' }]);
  }

  /** Sends the first mail to an address. */
  override async create(...of: Parameters<CreationOf>): Promise<CommandResult<Destination>> {
    const written = await super.create(...of);
    if (!written.replayed) await this.askIfNew(written.entry);
    return written;
  }

  /** Where messages go, with what signs them; undefined where it cannot be decrypted any more. */
  async targetIn({ organizationId, id, sealed }: Destination): Promise<WebhookTarget | undefined> {
    return (await this.values.open([{ organizationId, id, sealed }])).get(sealed);
  }

  /** @throws Problem CONFLICT where it cannot be decrypted any more */
  async target(destination: Destination): Promise<WebhookTarget> {
    const target = await this.targetIn(destination);
    if (!target) throw conflict('The address of this destination cannot be decrypted; set it again');
    return target;
  }

  override async records(destinations: readonly Destination[]): Promise<readonly PlainData<DestinationDto>[]> {
    const states = await this.log.states(destinations.map(({ id }) => id));
    return destinations.map((each) => ({
      id: each.id,
      organizationId: each.organizationId,
      name: each.name,
      kind: each.kind,
      format: SHOWN_FORMATS[each.kind] ?? each.format,
      url: each.origin,
      headerNames: each.headerNames,
      sends: each.sends,
      websiteIds: each.websiteIds,
      linkIds: each.linkIds,
      monitorIds: each.monitorIds,
      goalIds: each.goalIds,
      openToMembers: each.openToMembers,
      begin: each.begin,
      enabled: each.enabled,
      ...(states.get(each.id) ?? { state: 'ok', lastAnswer: null, lagSeconds: 0 }),
      ...(each.consent === 'asked' && { state: 'unconfirmed' as const }),
      ...(each.consent === 'withdrawn' && { state: 'off' as const }),
      ...historyOf(each),
    }));
  }

  /** What is encrypted is encrypted anew each time, so that what stays the same is no change. */
  override async data(
    { url = null, address = null, headers, begin, ...changes }: Changes,
    { id, startedAt }: StartedCommand,
    current?: Destination,
    secret?: string,
  ): Promise<object> {
    if (!current) {
      const { organizationId = '' } = changes;
      const isMail = changes.kind === 'mail';
      const input = { ...changes, consent: isMail ? 'asked' : null };
      const target = {
        url: isMail ? mailAddress(address ?? '') : (url ?? ''),
        headers: headers ?? {},
        secrets: [{ secret: secret ?? '' }],
      };
      const place = typeof begin === 'number' ? begin : await this.nextPlace(organizationId);
      return { ...input, begin: place, ...(await this.sealed({ organizationId, id }, target)) };
    }
    const input = begin === undefined ? changes : { ...changes, begin };
    if (url === null && address === null && headers === undefined && secret === undefined) return input;
    const held = await this.target(current);
    if (address !== null) {
      if (held.url === mailAddress(address) && current.consent !== 'withdrawn') return input;
      const target = { ...held, url: mailAddress(address), secrets: [{ secret: newWebhookSecret() }] };
      return { ...input, consent: 'asked', ...(await this.sealed(current, target)) };
    }
    if (secret !== undefined && current.kind === 'mail') throw conflict('A mail has no secret');
    if (secret !== undefined) {
      const secrets = rotateWebhookSecrets(held, secret, startedAt);
      return { sealed: await this.values.seal(current, { ...held, secrets }) };
    }
    const target = { ...held, url: url ?? held.url, headers: headers ?? held.headers };
    return isDeepStrictEqual(target, held) ? input : { ...input, ...(await this.sealed(current, target)) };
  }

  /** Makes unreadable what no destination of the stream holds any more, also of a change that did not get here. */
  override async stored(
    changes: Changes | null,
    after: Destination | null,
    history: readonly Recorded[],
  ): Promise<void> {
    if (after && typeof changes?.address === 'string') await this.askIfNew(after);
    const all = history.flatMap((event) => {
      if (!isOfDestination(event) || event.type === 'DestinationDeleted') return [];
      const { organizationId, destinationId: id, sealed } = event.data;
      return [{ organizationId, id, sealed }];
    });
    const held = new Map(all.map((each) => [each.id, each.sealed]));
    for (const { type, data } of history) if (type === 'DestinationDeleted') held.delete(data.destinationId);
    await this.values.destroy(all.filter(({ id, sealed }) => held.get(id) !== sealed));
  }

  private async checkMail(
    { url = null, headers = {}, address = null, organizationId }: Changes,
    current?: Destination,
  ) {
    if ((!current || address !== null) && !isMailServer(this.settings.mail))
      throw invalid([{ field: 'kind', message: 'kind mail needs a mail server: SMTP_URL and MAIL_FROM are not set' }]);
    if (url !== null || Object.keys(headers).length > 0)
      throw invalid([{ field: url === null ? 'headers' : 'url', message: 'A mail has an address alone' }]);
    if (address !== null)
      await this.consents.assertMayAsk({ organizationId: current?.organizationId ?? organizationId ?? '', address });
    else if (!current) throw invalid([{ field: 'address', message: 'address is missing' }]);
  }

  private async askIfNew(destination: Destination): Promise<void> {
    if (destination.consent === 'asked') await this.consents.ask(destination, await this.target(destination));
  }

  private checkAddress({ protocol, hostname, host }: URL): void {
    const bare = hostname.replace(/^\[|\]$/g, '');
    const isHidden =
      isIP(bare) > 0 ? !isAllowedTarget(bare, protocol, this.settings) : /(^|\.)localhost\.?$/.test(bare);
    const isPlain = protocol !== 'https:' && this.settings.destinationAllow.length === 0;
    if (isHidden || isPlain) throw invalid([{ field: 'url', message: 'url must lead to a public address over https' }]);
    if (isOwnHost(host, this.settings))
      throw invalid([{ field: 'url', message: 'url must not lead to this installation itself' }]);
  }

  /** In the chain of an organization. */
  async nextPlace(organizationId: string): Promise<number> {
    return ((await this.store.chainHead(organizationId))?.revision ?? -1) + 1;
  }

  private async sealed(owner: ValueOwner, target: WebhookTarget) {
    const headerNames = Object.keys(target.headers).sort();
    const isMail = target.url.startsWith('mailto:');
    return {
      origin: isMail ? maskedAddress(target.url) : new URL(target.url).origin,
      headerNames,
      sealed: await this.values.seal(owner, target),
    };
  }
}

/** A stream of destinations has no other events. */
const isOfDestination = (event: Recorded): event is Recorded & DestinationEvent => event.type.startsWith('Destination');
