import { getSchemaPath, OmitType } from '@nestjs/swagger';
import { AuditEntryDto, AuditVerdictDto, ListAuditLogDto } from '../../audit/audit-log.dto';
import { ReadAuditLog } from '../../audit/read-audit-log.query';
import { VerifyAuditLog } from '../../audit/verify-audit-log.query';
import { PageSize } from '../../http/fields';
import { arraySchema, object, text, yes } from '../../http/record.dto';
import { FROM_PEOPLE, callerOrganization, tool, toolWithoutInput } from '../tool';

const USUAL = 20;

class ReadAuditLogInput extends OmitType(ListAuditLogDto, ['organizationId', 'limit']) {
  @PageSize(USUAL, 50)
  limit = USUAL;
}

export const readAuditLog = tool({
  name: 'read_audit_log',
  title: 'Read the audit log',
  description:
    'Who changed what in the organization (websites, links, keys, members), newest first, with what was before and after. ' +
    'A page may hold fewer entries than `limit` although more follow: go on with `cursor` while hasMore is true.',
  action: 'audit:read',
  effect: 'read',
  input: ReadAuditLogInput,
  output: object({
    entries: arraySchema({ $ref: getSchemaPath(AuditEntryDto) }),
    hasMore: yes,
    nextCursor: { type: ['string', 'null'] },
    note: text,
  }),
  answer: async ({ ...input }, { caller, queries }) => {
    const wanted = { ...input, organizationId: callerOrganization(caller) };
    const { data, hasMore, nextCursor } = await queries.execute(new ReadAuditLog(wanted, caller));
    return { note: FROM_PEOPLE, entries: data, hasMore, nextCursor };
  },
});

export const verifyAuditLog = toolWithoutInput({
  name: 'verify_audit_log',
  title: 'Verify the audit log',
  description:
    'Whether the whole history of the organization is what was recorded: recomputes its hash chain and checks the signed ' +
    'head. `firstInvalid` names the first place that was tampered with.',
  action: 'audit:read',
  effect: 'read',
  output: { $ref: getSchemaPath(AuditVerdictDto) },
  answer: ({ caller, queries }) => queries.execute(new VerifyAuditLog(callerOrganization(caller), caller)),
});
