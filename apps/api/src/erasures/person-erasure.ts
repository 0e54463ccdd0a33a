import { Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { notFound } from '../http/problems';

const USER = /^usr_\w+$/;

/** People in the events of an organization, and the keys that make their personal data readable. */
@Injectable()
export class PersonErasure {
  constructor(
    private readonly keys: SubjectKeys,
    private readonly registry: Registry,
  ) {}

  /** The ids of all keys that a person ever had. @throws Problem NOT_FOUND for whom the organization does not know */
  async keysOf(organizationId: string, userId: string): Promise<readonly string[]> {
    const keyIds = USER.test(userId) ? await this.keys.idsOf(organizationId, userId) : [];
    if (keyIds.length === 0 && !this.registry.member(organizationId, userId)) throw notFound('Person');
    return keyIds;
  }

  destroy(organizationId: string, userId: string, keyIds: readonly string[]): Promise<void> {
    return this.keys.destroy(organizationId, userId, keyIds);
  }
}
