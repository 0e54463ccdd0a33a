import type { Caller } from '@ledgerline/domain/access/caller';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { Plain } from '../http/record.dto';
import type { AuditVerdictDto } from './audit-log.dto';
import { AuditVerification } from './audit-verification';

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
