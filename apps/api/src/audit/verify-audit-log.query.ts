import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '@ledgerline/domain/access/caller';
import { BEFORE_FIRST } from '@ledgerline/platform/event-store/appended-events';
import type { ChainWalkVerdict } from '@ledgerline/platform/event-store/chain-walk';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { verifyHistory } from '@ledgerline/platform/event-store/verify-chain';
import type { PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';
import { EVENT_STORE } from '../tokens';
import type { AuditProgressDto, AuditVerdictDto } from './audit-log.dto';
import { SealingWatch } from './sealing-watch';

type Verdict = PlainData<AuditVerdictDto>;
type Progress = PlainData<AuditProgressDto>;
type Heads = Awaited<ReturnType<HeadSigner['heads']>>;

interface Walk {
  readonly progress: () => Progress;
  readonly verdict: Promise<Verdict>;
}

const PROGRESS_MS = 200;
/** On EventStoreDB an event is in its organization's history so long after its append, at most. */
const READABLE_AFTER_MS = 500;

/** Verifies whole histories; those who ask for the same one at the same time share one walk. */
@Injectable()
export class AuditVerification {
  private readonly invalidFrom = new Map<string, number>();
  private readonly underWay = new Map<string, Promise<Walk>>();

  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readBack' | 'chainHead'>,
    private readonly signer: HeadSigner,
    @Inject(SealingWatch) private readonly sealing: Pick<SealingWatch, 'faultOf' | 'overdueBefore'>,
  ) {}

  /** From which place on entries are not proven: the lowest that a verdict found wrong. @throws LogUnavailable */
  async unprovenFrom(organizationId: string): Promise<number> {
    const known = this.invalidFrom.get(organizationId);
    if (known !== undefined) return known;
    if ((await this.sealing.faultOf(organizationId)) === undefined) return Infinity;
    return (await this.verdict(organizationId)).firstInvalid?.revision ?? Infinity;
  }

  /** @throws LogUnavailable */
  async verdict(organizationId: string): Promise<Verdict> {
    return (await this.walkOf(organizationId)).verdict;
  }

  /** Lines of JSON: the progress a few times a second, and last the verdict. @throws LogUnavailable */
  async lines(organizationId: string): Promise<AsyncIterable<string>> {
    return linesOf(await this.walkOf(organizationId));
  }

  private walkOf(organizationId: string): Promise<Walk> {
    const shared = this.underWay.get(organizationId);
    if (shared) return shared;
    const own = this.start(organizationId);
    this.underWay.set(organizationId, own);
    const forget = () => void this.underWay.delete(organizationId);
    void own.then(({ verdict }) => verdict).then(forget, forget);
    return own;
  }

  private async start(organizationId: string): Promise<Walk> {
    const heads = await this.signer.heads(organizationId);
    const total = (heads.signed?.revision ?? -1) + 1;
    let verified = 0;
    const verdict = this.judge(organizationId, heads, (entries) => (verified += entries));
    return { progress: () => ({ verified: Math.min(verified, total), total }), verdict };
  }

  /** The verdict, and what is known to be wrong besides; the place is kept until a verdict finds the history valid. */
  private async judge(organizationId: string, heads: Heads, onPage: (entries: number) => void): Promise<Verdict> {
    const verdict = await this.verify(organizationId, heads, onPage);
    const { revision, finding } = verdict.firstInvalid ?? {};
    if (revision !== undefined && finding !== 'unsealed') this.invalidFrom.set(organizationId, revision);
    else this.invalidFrom.delete(organizationId);
    const fault = await this.sealing.faultOf(organizationId);
    return fault === undefined ? verdict : { ...verdict, ...UNSIGNED, valid: false, fault };
  }

  private async verify(organizationId: string, heads: Heads, onPage: (entries: number) => void): Promise<Verdict> {
    const overdueBefore = this.sealing.overdueBefore(organizationId);
    const walk = (demanded: readonly ChainHead[]) =>
      verifyHistory(this.store, organizationId, demanded.length === 0 ? [BEFORE_FIRST] : demanded, {
        onPage,
        overdueBefore,
      });
    let walked = await walk(heads.all);
    let unsigned = heads.unsigned;
    if (!heads.signed && walked.events + walked.unsealed === 0) {
      await setTimeout(READABLE_AFTER_MS);
      walked = await walk(heads.all);
    }
    const proven = walked.valid ? undefined : heads.signedOnly(); // a forged head demands what was never recorded
    if (proven?.unsigned) {
      walked = await walk(proven.heads);
      unsigned = proven.unsigned;
    }
    const { unsealedSince } = walked;
    const since = overdueBefore || !unsealedSince ? {} : { unsealedSince: unsealedSince.toISOString() };
    return { organizationId, ...verdictOn(walked, { signed: heads.signed, unsigned }), ...since };
  }
}

/** Returns what a walk and the signature of the newest head say together. */
function verdictOn(walked: ChainWalkVerdict, { signed, unsigned }: Pick<Heads, 'signed' | 'unsigned'>) {
  const { valid, events, unsealed, firstInvalid } = walked;
  const found = { events, unsealed, head: signed && { revision: signed.revision, hash: signed.hash } };
  if (firstInvalid) return { ...found, ...UNSIGNED, valid, firstInvalid };
  if (unsigned) {
    const unproven = { revision: unsigned.revision, finding: 'unsigned' } as const;
    return { ...found, ...UNSIGNED, valid: false, firstInvalid: unproven };
  }
  if (!signed) return { ...found, ...UNSIGNED, ...(events + unsealed === 0 ? MISSING : { valid }) };
  const { signedAt, keyId, signature } = signed;
  return { ...found, valid, signedAt, keyId, signature };
}

/** A history begins with the event that made its organization. */
const MISSING = { valid: false, firstInvalid: { revision: 0, finding: 'dropped' } } as const;

const UNSIGNED = { signedAt: null, keyId: null, signature: null };

async function* linesOf({ progress, verdict }: Walk): AsyncGenerator<string, void> {
  const isOver = verdict.then(() => true);
  while (!(await Promise.race([isOver, setTimeout(PROGRESS_MS, false)]))) yield `${JSON.stringify(progress())}\n`;
  yield `${JSON.stringify(await verdict)}\n`;
}

export class VerifyAuditLog extends Query<PlainData<AuditVerdictDto>> {
  constructor(
    readonly organizationId: string,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(VerifyAuditLog)
export class VerifyAuditLogHandler implements IQueryHandler<VerifyAuditLog> {
  constructor(private readonly verification: AuditVerification) {}

  async execute({ organizationId, caller }: VerifyAuditLog): Promise<PlainData<AuditVerdictDto>> {
    assertMay(caller, 'audit:read', { organizationId });
    return this.verification.verdict(organizationId);
  }
}
