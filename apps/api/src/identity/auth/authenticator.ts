import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ANONYMOUS, type Caller, keyCaller, type UserCaller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { credentialOf, SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { Accounts, type SignedInPerson } from '../accounts/accounts';
import type { Person } from '../accounts/people';

/** Determines the caller of a request. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly secrets: SecretStore,
    private readonly registry: Registry,
    private readonly lease: RegistryLease,
    private readonly accounts: Accounts,
  ) {}

  /** Undefined for a wrong credential; a session that has ended is none at all, as browsers go on sending its cookie. */
  async callerOf(headers: IncomingHttpHeaders): Promise<Caller | undefined> {
    const secret = credentialOf(headers);
    if (secret !== null) return this.callerWith(secret);
    const person = await this.accounts.personOf(headers);
    return person === undefined ? ANONYMOUS : this.lease.whileHeld(() => this.person(person));
  }

  /** Signed in, with the roles of this moment. */
  person({ id, name, email, isOperator }: Person & Partial<SignedInPerson>): UserCaller {
    return { kind: 'user', id, name, email, ...(isOperator ? { isOperator } : {}), roles: this.registry.rolesOf(id) };
  }

  /** @throws LogUnavailable when it cannot be decided in time whether the key exists */
  private async callerWith(secret: string): Promise<Caller | undefined> {
    const found = await this.secrets.find(secret);
    if (!found) return undefined;
    const key = () => this.registry.find('apiKeys', found.keyId);
    const caller = await this.lease.whileHeld(
      () => keyCaller(key(), found.secretId, new Date()),
      () => key()?.secretId !== found.secretId, // written before its event: the key may be new, or rotated
    );
    if (caller) this.secrets.noteUse(found.keyId);
    return caller;
  }
}
