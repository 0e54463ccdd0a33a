import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { ErasedProfile, ErasedVisitor, PersonExported } from '@ledgerline/contracts/events/audit-log.events';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { personExport } from '@ledgerline/domain/audit/audit-log.decider';
import { type ErasureRule, ErasureRules, hitIdsOfRules, rulesOf } from '@ledgerline/domain/erasures/erasure-rules';
import { exportStream } from '@ledgerline/platform/event-store/event-store';
import { hitsIn, type HitsWanted } from '@ledgerline/platform/intake-log/hits-in';
import { offsetOf, partitionOf, readHeads } from '@ledgerline/platform/intake-log/intake-log';
import { SegmentReader } from '@ledgerline/platform/intake-log/segment-reader';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { unsealProfileId, unsealTrait } from '@ledgerline/platform/profiles/sealed-profile';
import { type CommandContext, IdempotencyStore, newPrefixedId } from '../../commands/command-context';
import { CommandRunner } from '../../commands/command-runner';
import { assertMay } from '../../http/route';
import { POOL } from '../../tokens';
import type { WantedVisitor } from './erasure.dto';
import { VisitorErasure } from './visitor-erasure';

/** Sent at once, about. */
const CHUNK = 64 * 1024;

type Subject = ErasedProfile | ErasedVisitor;

/** Streams what the intake log has of a visitor, found as an erasure finds it: a part of the log is in memory, never more. */
@Injectable()
export class PersonExport {
  private readonly reader: SegmentReader;

  constructor(
    private readonly visitors: VisitorErasure,
    private readonly keys: ProfileKeys,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    @Inject(POOL) private readonly pool: Pool,
  ) {
    this.reader = new SegmentReader(pool);
  }

  /**
   * Recorded before the first byte; what fails later breaks the connection off.
   * @throws Problem NOT_FOUND or FORBIDDEN
   */
  async start(
    { organizationId, subject }: { readonly organizationId: string; readonly subject: WantedVisitor },
    context: CommandContext,
    signal: AbortSignal,
  ): Promise<Readable> {
    assertMay(context.caller, 'people:export', { organizationId });
    const found = await this.visitors.find(organizationId, subject);
    await this.record({ organizationId, websiteId: found.websiteId }, context);
    return Readable.from(inChunks(this.records(organizationId, found, signal)));
  }

  private async record(wanted: Omit<PersonExported['data'], 'exportId'>, context: CommandContext): Promise<void> {
    const started = await this.idempotency.start(context, 'ExportPerson', wanted, newPrefixedId('exp'));
    const command = { type: 'ExportPerson', data: { ...wanted, exportId: started.id } } as const;
    const stream = exportStream(wanted.organizationId, started.id);
    await this.runner.run({ decider: personExport, stream, command, answer: () => null }, started);
  }

  /** The last record says that the export is complete. */
  private async *records(organizationId: string, subject: Subject, signal: AbortSignal): AsyncGenerator<object, void> {
    yield { kind: 'subject', organizationId, ...subject };
    const heads = await readHeads(this.pool);
    const hits = (about: string, rules: readonly ErasureRule[], types?: readonly string[]) =>
      this.hits(heads, about, { types, naming: hitIdsOfRules(rules), signal });
    const own = [...rulesOf(erasureOf(organizationId, subject), Infinity)];
    const identified = new ErasureRules(own);
    if ('profile' in subject)
      for await (const { event } of hits(subject.websiteId, [...own], ['VisitorIdentified']))
        own.push(...identified.shownBy(event));
    const rules = new ErasureRules(own);
    const clicks = new Map<string, ErasureRule[]>();
    let events = 0;
    for await (const { event } of hits(subject.websiteId, own)) {
      const matching = rules.matching(event);
      if (matching.length === 0) continue;
      events += 1;
      yield await this.recordOf(event);
      const [click] = rules.shownBy(event, matching).filter(({ kind }) => kind === 'click');
      if (!click) continue;
      const led = clicks.get(click.subject);
      if (led) led.push(click);
      else clicks.set(click.subject, [click]);
    }
    for (const [linkId, led] of clicks) {
      const ofLink = new ErasureRules(led);
      for await (const { event } of hits(linkId, led, ['LinkClicked'])) {
        if (ofLink.matching(event).length === 0) continue;
        events += 1;
        yield await this.recordOf(event);
      }
    }
    yield { kind: 'end', events };
  }

  private hits(heads: ReadonlyMap<number, string>, about: string, wanted: HitsWanted) {
    const partition = partitionOf(about, heads.size);
    const log = {
      read: this.reader.read.bind(this.reader),
      compare: (a: string, b: string) => offsetOf(a) - offsetOf(b),
    };
    return hitsIn({ log, partition, upTo: heads.get(partition) ?? BEGINNING }, wanted);
  }

  /** With the id and the traits of a profile decrypted; null once its key is destroyed. */
  private async recordOf({ type, id, at, receivedAt, data }: ObservedEvent): Promise<object> {
    const of = { id, type, at: new Date(at).toISOString(), receivedAt: new Date(receivedAt).toISOString() };
    if (type !== 'VisitorIdentified') return { kind: 'event', ...of, data };
    const key = await this.keys.find(data.websiteId ?? '', data.subject);
    const traits = Object.entries(data.traits).map(([name, sealed]) => {
      return [name, sealed === null || !key ? null : unsealTrait(key, name, sealed)] as const;
    });
    const profileId = key ? unsealProfileId(key, data.profileId) : null;
    return { kind: 'identification', ...of, data: { ...data, profileId, traits: Object.fromEntries(traits) } };
  }
}

/** Returns what an erasure of the subject would record. */
const erasureOf = (organizationId: string, subject: Subject) => ({
  type: 'SubjectErased' as const,
  data: { organizationId, erasureId: 'export', subject, destroyedKeyIds: [] },
});

async function* inChunks(records: AsyncIterable<object>): AsyncGenerator<string, void> {
  let chunk = '';
  for await (const record of records) {
    chunk += `${JSON.stringify(record)}\n`;
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
