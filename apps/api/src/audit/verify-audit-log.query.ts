import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BEFORE_FIRST } from '@ledgerline/platform/event-store/chain-hash';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { verifyHistory } from '@ledgerline/platform/event-store/verify-chain';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import { assertMay } from '../auth/assert-may';
import type { AuditProgressDto, AuditVerdictDto } from './audit-log.dto';

type Verdict = Plain<AuditVerdictDto>;
type Progress = Plain<AuditProgressDto>;
type Heads = Awaited<ReturnType<HeadSigner['heads']>>;

interface Walk {
  readonly progress: () => Progress;
  readonly verdict: Promise<Verdict>;
}

const PROGRESS_MS = 200;

/** Verifies whole histories; those who ask for the same one at the same time share one walk. */
@Injectable()
export class AuditVerification {
  private readonly underWay = new Map<string, Promise<Walk>>();

  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readBack' | 'chainHead'>,
    private readonly signer: HeadSigner,
  ) {}

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
    const verdict = this.verify(organizationId, heads, (entries) => (verified += entries));
    return { progress: () => ({ verified: Math.min(verified, total), total }), verdict };
  }

  private async verify(organizationId: string, heads: Heads, onPage: (entries: number) => void): Promise<Verdict> {
    const { signed, signedWithinMs } = heads;
    const overdueBefore = signedWithinMs === undefined ? undefined : new Date(Date.now() - signedWithinMs);
    const walk = (demanded: readonly ChainHead[]) =>
      verifyHistory(this.store, organizationId, demanded.length === 0 ? [BEFORE_FIRST] : demanded, {
        onPage,
        overdueBefore,
      });
    let [walked, unsigned] = [await walk(heads.all), heads.unsigned];
    const proven = walked.valid ? undefined : heads.signedOnly?.(); // a forged head demands what was never recorded
    if (proven?.unsigned) [walked, unsigned] = [await walk(proven.heads), proven.unsigned];
    const { valid, events, unsealed, firstInvalid } = walked;
    const head = signed && { revision: signed.revision, hash: signed.hash };
    const found = { organizationId, events, unsealed, head };
    if (firstInvalid) return { ...found, ...UNSIGNED, valid, firstInvalid };
    if (unsigned)
      return {
        ...found,
        ...UNSIGNED,
        valid: false,
        firstInvalid: { revision: unsigned.revision, finding: 'unsigned' },
      };
    if (!signed) return { ...found, ...UNSIGNED, valid };
    const { signedAt, keyId, signature } = signed;
    return { ...found, valid, signedAt, keyId, signature };
  }
}

const UNSIGNED = { signedAt: null, keyId: null, signature: null };

async function* linesOf({ progress, verdict }: Walk): AsyncGenerator<string, void> {
  const isOver = verdict.then(() => true);
  while (!(await Promise.race([isOver, setTimeout(PROGRESS_MS, false)]))) yield `${JSON.stringify(progress())}\n`;
  yield `${JSON.stringify(await verdict)}\n`;
}

export class VerifyAuditLog extends Query<Plain<AuditVerdictDto>> {
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

  async execute({ organizationId, caller }: VerifyAuditLog): Promise<Plain<AuditVerdictDto>> {
    assertMay(caller, 'audit:read', { organizationId });
    return this.verification.verdict(organizationId);
  }
}
