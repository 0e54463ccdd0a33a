import { Inject, Injectable } from '@nestjs/common';
import { GENESIS } from '@ledgerline/platform/event-store/chain-hash';
import type { ChainHead, EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { historyEntries } from '@ledgerline/platform/event-store/history-pages';
import { verifySignedHead } from '@ledgerline/platform/event-store/signed-head';
import { verifyLinks } from '@ledgerline/platform/event-store/verify-chain';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import type { AuditVerdictDto } from './audit-log.dto';

type Verdict = Plain<AuditVerdictDto>;

const PAGE = 500;

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
    const history = historyEntries(this.store, organizationId, PAGE);
    const latest = () => this.store.chainHead(organizationId);
    const { valid, events, unsealed, firstInvalid } = await verifyLinks(history, [signed ?? NO_HEAD], latest);
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

const NO_HEAD: ChainHead = { revision: -1, hash: GENESIS };
