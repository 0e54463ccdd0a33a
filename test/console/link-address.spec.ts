import { campaignsIn, withCampaign } from '../../apps/console/src/pages/links/link-address';

const SPRING = [
  ['utm_source', 'mail'],
  ['utm_campaign', 'spring sale'],
] as const;

describe('the campaigns of addresses', () => {
  it('are each there once, in the order of the addresses', () =>
    expect(
      campaignsIn([
        'https://shop.example/?utm_campaign=spring+sale&x=1&utm_source=mail',
        'https://shop.example/other?utm_source=mail&utm_campaign=spring%20sale#top',
        'https://shop.example/?utm_source=&ref=1',
        'https://shop.example/?utm_medium=social',
        'utm_source=none',
      ]),
    ).toEqual([SPRING, [['utm_medium', 'social']]]));

  it('take the place of another one', () =>
    expect(withCampaign('https://a.example/p?x=1&utm_source=old&utm_term=t#top', SPRING)).toBe(
      'https://a.example/p?x=1&utm_source=mail&utm_campaign=spring+sale#top',
    ));
});
