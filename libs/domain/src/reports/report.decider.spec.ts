import type { ReportCreated, ReportSettings } from '@ledgerline/contracts/events/report.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { specify } from '@test/domain/given';
import { covers, plainReport, report, type ReportCommand } from './report.decider';

describe('a report', () => {
  it('has a name of its own, and is one of at most 20', () => {
    given(created('rpt_1')).when(create('rpt_2')).rejects('NAME_TAKEN');
    const all = Array.from({ length: RECORD_KINDS.reports.atMost }, (_, n) => created(`rpt_${n}`, { name: `${n}` }));
    given(...all)
      .when(create('rpt_new'))
      .rejects('REPORTS_FULL');
  });

  it('is about websites, and sent somewhere', () => {
    given()
      .when(create('rpt_1', { websiteIds: [] }))
      .rejects('REPORT_WEBSITES_EMPTY');
    given()
      .when(create('rpt_1', { destinationIds: [] }))
      .rejects('REPORT_DESTINATIONS_EMPTY');
    given()
      .when(create('rpt_1', { websiteIds: ['site_1'] }))
      .then(created('rpt_1', { websiteIds: ['site_1'] }));
  });

  it('is changed, and keeps what its fields held before', () =>
    given(created('rpt_1'))
      .when({ type: 'UpdateReport', data: { reportId: 'rpt_1', changes: { period: 'month' } } })
      .then({
        type: 'ReportUpdated',
        data: { ...created('rpt_1').data, period: 'month', before: { period: 'week' } },
      }));
});

describe('a destination of a report', () => {
  const of = (websiteIds: readonly string[] | null) => ({ organizationId: 'org_1', websiteIds });

  it('covers all websites of the report, of the same organization, and is no audit stream', () => {
    const mail = { kind: 'mail', ...of(null) } as const;
    expect(covers(mail, of(null))).toBe(true);
    expect(covers({ ...mail, websiteIds: ['site_1'] }, of(null))).toBe(false);
    expect(covers({ ...mail, websiteIds: ['site_1'] }, of(['site_1', 'site_2']))).toBe(false);
    expect(covers({ ...mail, websiteIds: ['site_1', 'site_2'] }, of(['site_2']))).toBe(true);
    expect(covers({ ...mail, organizationId: 'org_2' }, of(null))).toBe(false);
    expect(covers({ ...mail, kind: 'audit' }, of(null))).toBe(false);
  });
});

const given = specify(report);

const created = (reportId: string, more: Partial<ReportSettings> = {}): ReportCreated => ({
  type: 'ReportCreated',
  data: {
    reportId,
    organizationId: 'org_1',
    ...plainReport,
    name: 'Weekly',
    destinationIds: ['dst_1'],
    ownerId: 'usr_1',
    ...more,
  },
});

const create = (reportId: string, more: Partial<ReportSettings> = {}): ReportCommand => ({
  type: 'CreateReport',
  data: created(reportId, more).data,
});
