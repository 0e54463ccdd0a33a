import { getSchemaPath } from '@nestjs/swagger';
import { AuditVerdictDto } from '../../audit/audit-log.dto';
import { VerifyAuditLog } from '../../audit/verify-audit-log.query';
import { organizationOf, toolWithoutInput } from '../tool';

export const verifyAuditLog = toolWithoutInput({
  name: 'verify_audit_log',
  title: 'Verify the audit log',
  description:
    'Whether the whole history of the organization is what was recorded: recomputes its hash chain and checks the signed ' +
    'head. `firstInvalid` names the first place that was tampered with.',
  action: 'audit:read',
  effect: 'read',
  output: { $ref: getSchemaPath(AuditVerdictDto) },
  answer: ({ caller, queries }) => queries.execute(new VerifyAuditLog(organizationOf(caller), caller)),
});
