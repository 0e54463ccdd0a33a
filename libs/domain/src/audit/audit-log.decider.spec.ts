import { specify } from '@test/domain/given';
import { auditLogExport, destinationUse, personExport } from './audit-log.decider';

describe('an export of the audit log', () => {
  it('is recorded as it was asked for', () =>
    specify(auditLogExport)()
      .when({ type: 'ExportAuditLog', data: asked })
      .then({ type: 'AuditLogExported', data: asked }));
});

describe('an export of what is held about a visitor', () => {
  it('is recorded by its website', () => {
    const data = { organizationId: 'org_1', exportId: 'exp_2', websiteId: 'site_1' };
    specify(personExport)().when({ type: 'ExportPerson', data }).then({ type: 'PersonExported', data });
  });
});

describe('what is done with a destination', () => {
  it('is recorded as it was asked for', () => {
    const use = { organizationId: 'org_1', destinationId: 'dst_1', useId: 'use_1' };
    const retry = { ...use, deliveryIds: null, from: 3, to: 4 };
    specify(destinationUse)()
      .when({ type: 'TestDestination', data: use })
      .then({ type: 'DestinationTested', data: use });
    specify(destinationUse)()
      .when({ type: 'RetryDeliveries', data: retry })
      .then({ type: 'DeliveriesRetried', data: retry });
  });
});

const asked = {
  organizationId: 'org_1',
  exportId: 'exp_1',
  format: 'ndjson',
  filter: { action: 'api_key.revoked' },
} as const;
