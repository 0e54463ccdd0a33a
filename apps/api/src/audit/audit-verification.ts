import { Inject, Injectable } from '@nestjs/common';
import { BEFORE_FIRST } from '@ledgerline/platform/event-store/chain-hash';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { verifySignedHead } from '@ledgerline/platform/event-store/signed-head';
import { verifyHistory } from '@ledgerline/platform/event-store/verify-chain';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import type { AuditVerdictDto } from './audit-log.dto';

type Verdict = Plain<AuditVerdictDto>;

/** Verifies whole histories; those who ask for the same one at the same time share one walk. */
@Injectable()
export class AuditVerification {
  private readonly underWay = new Map<string, Promise<Verdict>>();

  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly signer: HeadSigner,
  ) {}

  verdict(organizationId: string): Promise<Verdict> {
    const shared = this.underWay.get(organizationId);
    if (shared) return shared;
    const own = this.walk(organizationId).finally(() => this.underWay.delete(organizationId));
    this.underWay.set(organizationId, own);
    return own;
  }

  private async walk(organizationId: string): Promise<Verdict> {
    const { signed, kept, keys } = await this.signer.heads(organizationId);
    const heads = [signed ?? BEFORE_FIRST, ...(kept ? [kept] : [])];
    const { valid, events, unsealed, firstInvalid } = await verifyHistory(this.store, organizationId, heads);
    const head = signed && { revision: signed.revision, hash: signed.hash };
    const found = { organizationId, events, unsealed, head };
    if (firstInvalid) return { ...found, ...UNSIGNED, valid, firstInvalid };
    if (!signed) return { ...found, ...UNSIGNED, valid };
    const unsigned = [kept, signed].find((each) => each && verifySignedHead(each, keys) !== 'valid');
    if (unsigned)
      return {
        ...found,
        ...UNSIGNED,
        valid: false,
        firstInvalid: { revision: unsigned.revision, finding: 'unsigned' },
      };
    const { signedAt, keyId, signature } = signed;
    return { ...found, valid, signedAt, keyId, signature };
  }
}

const UNSIGNED = { signedAt: null, keyId: null, signature: null };
