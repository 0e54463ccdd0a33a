import { specify } from '@test/domain/given';
import { auditLogExport } from './audit-log.decider';

describe('an export of the audit log', () => {
  it('is recorded as it was asked for', () =>
    specify(auditLogExport)()
      .when({ type: 'ExportAuditLog', data: asked })
      .then({ type: 'AuditLogExported', data: asked }));
});

const asked = {
  organizationId: 'org_1',
  exportId: 'exp_1',
  format: 'ndjson',
  filter: { action: 'api_key.revoked' },
} as const;
