import type { Pool } from 'pg';
import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { type DeliveryOutcome, isTaken, mayBlockOthers } from '@ledgerline/domain/destinations/delivery-outcome';
import type { Settings } from '@ledgerline/platform/config/settings';
import { mayStillSend } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { DeliveryMails } from '@ledgerline/platform/outbound/mail-destination';
import { type WebhookAnswer, type WebhookTarget, sendWebhook } from '@ledgerline/platform/outbound/webhook';
import type { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import { findRegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { DueWork } from '../runner/due-work';
import { ChainHeads, ChainReader, unbrokenOf } from './chain-reader';
import { mailPause } from './mail-limit';
import { auditDelivery, decidedDeliveries } from './messages';
import {
  type RecordedTry,
  DestinationSending,
  type SendingPosition,
  type TakenDestination,
  type WaitingDelivery,
} from './sending';

interface DeliveriesParts {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly signer: Pick<HeadSigner, 'signedHead'>;
  readonly targets: Pick<SealedValues<WebhookTarget>, 'open'>;
  readonly settings: Pick<Settings, 'destinationAllow' | 'publicApiUrl' | 'mail'>;
  readonly logger: Logger;
  /** Called with the kind of the destination and what a try has come to. */
  readonly onTry?: (kind: string, outcome: string) => void;
}

const { destinations, organizations } = RECORD_TABLES;

const TICK_MS = 1_000;
/** So long it counts that this installation is the one that sends. */
const ALLOWED_FOR_MS = 5_000;
/** However many events there are, what is due is looked for no more often, ms. */
const SHORTEST_TICK_MS = 100;
/** Then others are looked at. */
const MAX_IN_A_ROW = 200;
/** Entries that are read for a webhook at once. */
const READ_AT_ONCE = 100;
/** Of a chain that is broken, and of an address that cannot be decrypted. */
const BROKEN_PAUSE_MS = 60_000;
/** A head is signed about a second after its event. */
const HEAD_PAUSE_MS = 1_000;

/** Whether the next message may be sent. */
const isOver = (outcome: DeliveryOutcome): boolean => outcome !== 'held_back' && outcome !== 'off';

/** Sends what destinations want: at least once, in order, each from one process at a time. */
export function deliveryWork(parts: DeliveriesParts): DueWork<TakenDestination> {
  const sender = new Sender(parts);
  const outage = new OutageLog(parts.logger, {
    began: 'nothing can be sent to destinations; trying again until it can',
    ended: 'destinations are sent to again',
  });
  return new DueWork({
    take: (max) => sender.take(max),
    complete: (taken, stopping) => sender.sendAll(taken, stopping),
    giveBack: (taken) => sender.giveBack(taken),
    wait: (stopping) => sender.wait(stopping),
    outage,
  });
}

class Sender {
  private readonly sending: DestinationSending;
  private readonly reader: ChainReader;
  private readonly heads: ChainHeads;
  private readonly mails: DeliveryMails;
  /** When this installation was last found to be the one that sends. */
  private allowedAt = -Infinity;

  constructor(private readonly parts: DeliveriesParts) {
    this.sending = new DestinationSending(parts.pool);
    this.reader = new ChainReader(parts.store);
    this.heads = new ChainHeads(parts.store);
    this.mails = new DeliveryMails(parts.settings);
  }

  /** None while the registry is of another log, or this installation a copy. */
  async take(max: number): Promise<readonly TakenDestination[]> {
    const epoch = await this.parts.store.epoch();
    const tables = await findRegistryTables(this.parts.pool, [destinations, organizations]);
    if (tables?.epoch !== epoch) return [];
    const wanting = await this.sending.organizations(tables);
    if (!(await this.mayStillSend(epoch)) || wanting.length === 0) return [];
    return this.sending.take(tables, await this.heads.of(wanting), max);
  }

  private async mayStillSend(epoch: string): Promise<boolean> {
    const { pool, settings } = this.parts;
    if (performance.now() - this.allowedAt < ALLOWED_FOR_MS) return true;
    const may = await mayStillSend(pool, { publicApiUrl: settings.publicApiUrl, epoch });
    if (may) this.allowedAt = performance.now();
    return may;
  }

  async wait(stopping: AbortSignal): Promise<void> {
    await pause(SHORTEST_TICK_MS, stopping);
    await this.parts.store
      .waitForMore(0, this.heads.cursor, { timeoutMs: TICK_MS, signal: stopping })
      .catch(() => pause(TICK_MS, stopping));
  }

  giveBack(taken: TakenDestination): Promise<void> {
    return this.sending.giveBack(taken);
  }

  async sendAll(taken: TakenDestination, stopping: AbortSignal): Promise<void> {
    const { id, organizationId, details } = taken;
    const { sealed } = details;
    const target = (await this.parts.targets.open([{ organizationId, id, sealed }])).get(sealed);
    // just replaced, and the read model is about to follow; or KEY_PEPPER is another one by now
    if (!target) return this.sending.holdBack(taken, 'The address cannot be decrypted.', TICK_MS);
    let delivery = await this.next(taken);
    for (let n = 0; n < MAX_IN_A_ROW; n++) {
      if (!delivery) return;
      const recorded = await this.sendOne(taken, target, delivery, stopping);
      if (!recorded || !isOver(recorded.outcome)) return;
      delivery = (details.kind === 'mail' ? undefined : recorded.next) ?? (await this.next(taken));
    }
    await this.sending.giveBack(taken);
  }

  private async sendOne(
    taken: TakenDestination,
    target: WebhookTarget,
    delivery: WaitingDelivery,
    stopping: AbortSignal,
  ): Promise<RecordedTry | undefined> {
    const { kind } = taken.details;
    const contentType = kind === 'audit' ? 'application/x-ndjson' : 'application/json';
    const send = ({ id, body, html }: WaitingDelivery) =>
      kind === 'mail'
        ? this.mails.deliver(target, { destinationId: taken.id, id, body, html }, stopping)
        : sendWebhook(target, { id, contentType, body }, this.parts.settings, stopping);
    const answer = await send(delivery);
    const mayBlock = mayBlockOthers({ kind, status: answer.status, tries: delivery.tries + 1 });
    const successor = mayBlock && (await this.sending.position(taken)) && (await this.sending.after(taken, delivery));
    const passes = successor ? await send(successor) : undefined;
    if (!successor || !passes || !isTaken(passes.status)) return this.record(taken, delivery, answer);
    await this.record(taken, delivery, answer, true);
    return this.record(taken, successor, passes);
  }

  private async record(
    taken: TakenDestination,
    delivery: WaitingDelivery,
    answer: WebhookAnswer,
    successorPasses = false,
  ): Promise<RecordedTry | undefined> {
    const recorded = await this.sending.record(taken, delivery, answer, successorPasses);
    if (recorded) this.parts.onTry?.(taken.details.kind, recorded.outcome);
    return recorded;
  }

  /** What is new comes before what is sent again. Undefined where there is nothing now, and the destination is given back. */
  private async next(taken: TakenDestination): Promise<WaitingDelivery | undefined> {
    const { kind } = taken.details;
    for (;;) {
      const pauseMs = kind === 'mail' ? await mailPause(this.parts.pool, taken) : 0;
      if (pauseMs > 0) {
        await this.sending.giveBack(taken, pauseMs);
        return undefined;
      }
      const position = await this.sending.position(taken);
      if (!position) return undefined;
      const waiting = await this.sending.waiting(taken, false);
      if (waiting) return waiting;
      const read = await this.readOn(taken, position);
      if (read === 'more') continue;
      if (read === 'broken') return undefined;
      const repeated = await this.sending.waiting(taken, true);
      if (repeated) return repeated;
      const isSigned = kind !== 'audit' || position.headRevision >= position.nextRevision - 1;
      if (isSigned) await this.sending.rest(taken, position);
      else await this.sending.giveBack(taken, HEAD_PAUSE_MS);
      return undefined;
    }
  }

  /** Makes messages of what follows in the chain; where it is broken, the destination is held back. */
  private async readOn(taken: TakenDestination, position: SendingPosition): Promise<'more' | 'nothing' | 'broken'> {
    const { id, organizationId, details } = taken;
    const { nextRevision: from, hash, batch } = position;
    const max = details.kind === 'audit' ? batch : READ_AT_ONCE;
    const found = await this.reader.read(organizationId, from, max);
    const entries = unbrokenOf(found, from, hash);
    if (entries.length === 0 && found.length > 0) {
      const reason = `The audit log is broken at position ${from}: npm run audit -- verify.`;
      await this.sending.holdBack(taken, reason, BROKEN_PAUSE_MS);
      return 'broken';
    }
    if (details.kind !== 'audit') {
      const last = entries.at(-1);
      if (!last) return 'nothing';
      const next = { nextRevision: last.chain.revision + 1, hash: last.chain.hash };
      await this.sending.keep(taken, decidedDeliveries(id, details, entries), next);
      return 'more';
    }
    const made = auditDelivery(id, position, entries, await this.parts.signer.signedHead(organizationId));
    if (!made) return 'nothing';
    const { lastRevision } = made.places;
    const last = entries[lastRevision - from];
    await this.sending.keep(taken, [made], { nextRevision: lastRevision + 1, hash: last?.chain.hash ?? hash });
    return 'more';
  }
}
