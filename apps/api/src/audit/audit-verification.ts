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
    const [signed, keys] = await Promise.all([this.signer.signedHead(organizationId), this.signer.publicKeys()]);
    const heads = [signed ?? BEFORE_FIRST];
    const { valid, events, unsealed, firstInvalid } = await verifyHistory(this.store, organizationId, heads);
    const head = signed && { revision: signed.revision, hash: signed.hash };
    const found = { organizationId, events, unsealed, head };
    if (firstInvalid) return { ...found, ...UNSIGNED, valid, firstInvalid };
    if (!signed) return { ...found, ...UNSIGNED, valid };
    const { revision, signedAt, keyId, signature } = signed;
    if (verifySignedHead(signed, keys) === 'valid') return { ...found, valid, signedAt, keyId, signature };
    return { ...found, ...UNSIGNED, valid: false, firstInvalid: { revision, finding: 'unsigned' } };
  }
}

const UNSIGNED = { signedAt: null, keyId: null, signature: null };
