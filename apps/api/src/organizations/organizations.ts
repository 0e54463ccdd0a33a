import { Injectable } from '@nestjs/common';
import type { OrganizationDetails } from '@ledgerline/contracts/events/organization.events';
import type { Organization } from '@ledgerline/contracts/records';
import type { Action, Caller, AccessTarget as Scope, UserCaller } from '@ledgerline/domain/access/caller';
import { omit } from '@ledgerline/domain/decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { StartedCommand } from '../commands/command-context';
import { recordOf, type DecidableCommand, Resource } from '../commands/resource';
import { forbidden } from '../http/problems';
import { type PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';
import type { OrganizationDto } from './organization.dto';

type OrganizationEntry = Organization & { readonly organizationId: string };

/** Organizations as their members find them. Their stream holds members and invitations, too. */
@Injectable()
export class Organizations extends Resource<OrganizationEntry, OrganizationDetails, PlainData<OrganizationDto>> {
  readonly kind = 'organizations';
  readonly defaults = {};

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {
    super();
  }

  /**
   * The action of changes. Whether a role suffices is decided with the command, so that no change of roles can come
   * between.
   */
  override get writes(): Action {
    return 'organizations:read';
  }

  /** Every person may create one. */
  override authorize(caller: Caller, action: Action, scope: Partial<Scope>): void {
    const user = userOf(caller);
    const { organizationId } = scope;
    if (organizationId !== undefined)
      assertMay({ ...user, roles: this.registry.rolesOf(user.id) }, action, { organizationId });
  }

  /** Finds an organization, also one that another process created, or added the caller to, a moment ago. */
  override async find(id: string, caller: Caller): Promise<OrganizationEntry | undefined> {
    if (!this.registry.member(id, userOf(caller).id)) await this.live.catchUp();
    return this.entry(() => this.registry, id);
  }

  override entry(registry: () => Registry, id: string): OrganizationEntry | undefined {
    const organization = registry().organization(id);
    return organization && { ...organization, organizationId: id };
  }

  /** The person who creates one owns it. */
  override data(
    input: Partial<OrganizationDetails>,
    { id, caller }: StartedCommand,
    current?: OrganizationEntry,
  ): object {
    return current ? input : { organizationId: id, ...input, ownerId: userOf(caller).id };
  }

  override decision(...[type, data, record, started]: Parameters<Resource['decision']>): DecidableCommand {
    const by = type === this.declared.commands.creates ? {} : { by: userOf(started.caller).id };
    return super.decision(type, { ...data, ...by }, record, started);
  }

  override records(organizations: readonly OrganizationEntry[]): readonly PlainData<OrganizationDto>[] {
    return organizations.map((each) => recordOf(omit(each, 'organizationId')));
  }
}

/** Organizations are a matter of people. @throws Problem FORBIDDEN */
export function userOf(caller: Caller): UserCaller {
  if (caller.kind !== 'user') throw forbidden({ needs: 'person' });
  return caller;
}
