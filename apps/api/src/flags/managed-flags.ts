import type { Flag } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { may, type Action } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { FlagValues } from '@ledgerline/platform/personal-data/flag-values';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertBelongs, assertMay } from '../auth/assert-may';
import { notFound } from '../http/problems';
import { openFlag, sealedFlag, type OpenedFlag } from './open-flag';

/** Flags as those who may read or change them find them. */
@Injectable()
export class ManagedFlags {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly values: FlagValues,
  ) {}

  /** Also a flag that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<Flag> {
    if (!this.registry.flag(id)) await this.live.catchUp();
    const flag = this.registry.flag(id);
    if (!flag) throw notFound('Flag');
    assertMay(caller, action, flag, 'Flag');
    return flag;
  }

  /** Those that the caller may read, the oldest first. @throws Problem NOT_FOUND */
  of(organizationId: string, caller: Caller): readonly Flag[] {
    assertBelongs(caller, organizationId);
    return this.registry.flagsOf(organizationId).filter((flag) => may(caller, 'flags:read', flag));
  }

  async open(flags: readonly Flag[]): Promise<readonly OpenedFlag[]> {
    const values = await this.values.open(flags.map(sealedFlag));
    return flags.map((flag) => openFlag(flag, values.get(flag.ruleValues ?? '')));
  }
}
