import type {
  ShareCreated,
  ShareDeleted,
  ShareSettings,
  ShareUpdated,
} from '@ledgerline/contracts/events/share.events';
import { specify } from '@test/domain/given';
import { plainShare, share, type CreateShare, type DeleteShare, type UpdateShare } from './share.decider';

describe('a share', () => {
  it('is created once, with its lists in the order of the dashboard', () => {
    given()
      .when(create({ panels: ['devices', 'pages'] }))
      .then(created({ panels: ['pages', 'devices'] }));
    given(created()).when(create()).rejects('SHARE_EXISTS');
  });

  it('expires after its creation', () => {
    given()
      .when(create({ expiresAt: '2026-03-01T00:00:00.001Z' }))
      .then(created({ expiresAt: '2026-03-01T00:00:00.001Z' }));
    given()
      .when(create({ expiresAt: '2026-03-01T00:00:00.000Z' }))
      .rejects('EXPIRED');
  });

  it('is updated, and keeps what its fields held before', () => {
    const filters = [{ field: 'path', op: 'starts_with', value: '/blog' }] as const;
    given(created())
      .when(update({ filters, panels: ['outgoing', 'pages'] }))
      .then(updated({ filters, panels: ['pages', 'outgoing'] }, { filters: [], panels: plainShare.panels }));
  });

  it('stays without an event when an update changes nothing', () =>
    given(created())
      .when(update({ name: 'Board', panels: plainShare.panels.toReversed() }))
      .then());

  it('is deleted for good, and the hash of its password is not repeated', () => {
    given(created({ passwordHash: 'salt:hash' }))
      .when(remove)
      .then(deleted);
    given(created(), deleted).when(remove).rejects('SHARE_NOT_FOUND');
    given(created(), deleted)
      .when(update({ name: 'Late' }))
      .rejects('SHARE_NOT_FOUND');
    given(created(), deleted).when(create()).rejects('SHARE_EXISTS');
  });
});

const given = specify(share);

const { passwordHash, ...OPEN } = { ...plainShare, name: 'Board', passwordHash: null };
const OWN = { shareId: 'share_1', organizationId: 'org_1', websiteId: 'site_1' };

const create = (settings: Partial<ShareSettings> = {}): CreateShare => ({
  type: 'CreateShare',
  data: { ...OWN, ...OPEN, passwordHash, ...settings, startedAt: new Date('2026-03-01T00:00:00.000Z') },
});
const created = (settings: Partial<ShareSettings> = {}): ShareCreated => ({
  type: 'ShareCreated',
  data: { ...OWN, ...OPEN, passwordHash, ...settings },
});
const update = (changes: Partial<ShareSettings>): UpdateShare => ({ type: 'UpdateShare', data: { changes } });
const updated = (settings: Partial<ShareSettings>, before: Partial<ShareSettings>): ShareUpdated => ({
  type: 'ShareUpdated',
  data: { ...OWN, ...OPEN, passwordHash, ...settings, before },
});
const remove: DeleteShare = { type: 'DeleteShare', data: {} };
const deleted: ShareDeleted = { type: 'ShareDeleted', data: { ...OWN, ...OPEN } };
