import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { alertDecided } from '@test/events/alert-decided';
import { linkClicked, pageView } from '@test/events/observed-events';
import { type ErasureRule, ErasureRules, rulesOf } from './erasure-rules';

const NOON = Date.parse('2026-05-04T12:00:00Z');
const ANN = 'a'.repeat(32);
const PROFILE = 'c'.repeat(32);
const SESSION = 'd'.repeat(32);
const of = { erasureId: 'era_1', organizationId: 'org_1' };
const rule = (kind: ErasureRule['kind'], id: string, subject = 'site_1'): ErasureRule => {
  return { ...of, websiteId: 'site_1', kind, subject, id, until: NOON };
};

describe('the rules of erasures', () => {
  it('follow from what was decided, and from what the log has shown since', () => {
    const subject = { websiteId: 'site_1', profile: 'cccccccc-cccc-cccc-cccc-cccccccccccc' };
    const erased = (whom: typeof subject | { userId: string } | { websiteId: string; visitors: string[] }) =>
      rulesOf({ type: 'SubjectErased', data: { ...of, subject: whom, destroyedKeyIds: [] } }, NOON);
    expect(erased(subject)).toEqual([rule('profile', PROFILE)]);
    expect(erased({ websiteId: 'site_1', visitors: [ANN] })).toEqual([rule('visitor', ANN)]);
    expect(erased({ userId: 'usr_1' })).toEqual([]);
    const found = { visitors: [ANN], sessions: [SESSION], clicks: [{ linkId: 'link_1', id: 'click' }] };
    const data = { ...of, websiteId: 'site_1', until: new Date(NOON).toISOString(), ...found };
    const shown = [rule('visitor', ANN), rule('session', SESSION), rule('click', 'click', 'link_1')];
    expect(rulesOf({ type: 'ErasureExtended', data }, NOON + 1)).toEqual(shown);
  });

  it('are about what happened or was received until the erasure, on that website alone', () => {
    const rules = new ErasureRules([rule('visitor', ANN), rule('session', SESSION)]);
    const isErased = (event: ObservedEvent) => rules.matching(event).length > 0;
    const view = (at: number, given = {}) => pageView(at, { visitorId: ANN, ...given });
    expect(isErased(view(NOON))).toBe(true);
    expect(isErased({ ...view(NOON), receivedAt: NOON + 1 })).toBe(true);
    expect(isErased({ ...view(NOON + 1), receivedAt: NOON })).toBe(true);
    expect(isErased(view(NOON + 1))).toBe(false);
    expect(isErased(view(NOON, { websiteId: 'site_2' }))).toBe(false);
    expect(isErased(view(NOON, { visitorId: null, sessionId: SESSION }))).toBe(true);
    expect(isErased(view(NOON, { visitorId: 'b'.repeat(32), sessionId: SESSION }))).toBe(false);
    expect(isErased(view(NOON, { visitorId: null }))).toBe(false);
  });

  it('are about a click whenever it happened, as clocks of browsers may be slow', () => {
    const click = linkClicked(NOON + 1, { linkId: 'link_1' });
    const matching = (linkId: string) => new ErasureRules([rule('click', click.id, linkId)]).matching(click);
    expect([matching('link_1').length, matching('link_2').length]).toEqual([1, 0]);
  });

  it('are about what happened before the first day that is kept, whoever it was of', () => {
    const expired = { organizationId: 'org_1', erasureId: 'era_1', websiteId: 'site_1', before: '2026-05-04' };
    const data = { ...expired, until: new Date(NOON).toISOString() };
    const [added] = rulesOf({ type: 'HitsExpired', data }, NOON + 1);
    expect(added).toEqual(rule('expired', '2026-05-04'));
    const rules = new ErasureRules([added!, { ...added!, id: '2026-05-03', until: NOON - 1 }]);
    const click = { click: { id: 'click', linkId: 'link_1' } };
    const matching = (at: number, given = {}) => rules.matching(pageView(at, { ...click, ...given }));
    expect([matching(NOON - 1), matching(NOON), matching(NOON - 1, { websiteId: 'site_2' })]).toEqual([
      [added],
      [],
      [],
    ]);
    expect(rules.shownBy(pageView(NOON - 1, click))).toEqual([]);
    expect(rules.matching(alertDecided('alr_1', NOON - 1))).toEqual([]);
    expect(rules.expiredOf('site_1')).toEqual(added);
  });

  it('match once, however often they are given, for each erasure', () => {
    const later = { ...rule('visitor', ANN), until: NOON + 1 };
    const other = { ...rule('visitor', ANN), erasureId: 'era_2' };
    const rules = new ErasureRules([later, rule('visitor', ANN), other, later, other]);
    expect(rules.matching(pageView(NOON, { visitorId: ANN }))).toEqual([later, other]);
  });

  it('grow by what a left-out event shows', () => {
    const rules = new ErasureRules([rule('profile', PROFILE)]);
    const { data, ...event } = pageView(NOON, { visitorId: ANN, click: { id: 'click', linkId: 'link_1' } });
    const { organizationId, websiteId, zone, identity } = data;
    const identified = (visitorId: string | null, sessionId: string | null): ObservedEvent => {
      const stamp = { organizationId, websiteId, zone, identity, visitorId, sessionId };
      return { ...event, type: 'VisitorIdentified', data: { ...stamp, subject: PROFILE, profileId: '', traits: {} } };
    };
    expect(rules.shownBy(identified(ANN, SESSION))).toEqual([rule('visitor', ANN)]);
    expect(rules.shownBy(identified(null, SESSION))).toEqual([rule('session', SESSION)]);
    expect(rules.shownBy(identified(null, null))).toEqual([]);
    const known = new ErasureRules([rule('profile', PROFILE), rule('visitor', ANN)]);
    expect(known.shownBy(identified(ANN, null))).toEqual([]);
    expect(known.shownBy({ ...event, data })).toEqual([rule('click', 'click', 'link_1')]);
    expect(rules.shownBy({ ...event, data })).toEqual([]);
  });
});
