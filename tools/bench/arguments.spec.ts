import { resolve } from 'node:path';
import { readArguments, USAGE } from './arguments';
import { PART_NAMES } from './parts/catalogue';

describe('npm run bench', () => {
  it('says all it takes', () => {
    const options = ['events', 'today', 'today-events', 'seconds', 'memory', 'links', 'data', 'json', 'profile'];
    for (const word of [...PART_NAMES, ...options.map((option) => `[--${option} `)]) expect(USAGE).toContain(word);
  });

  it('measures every part unless some are named', () => {
    expect(readArguments([]).parts).toEqual(PART_NAMES);
    expect(readArguments(['today', '--today-events', '20_000', '--seconds', '3600'])).toMatchObject({
      parts: ['today'],
      todayEvents: 20_000,
      seconds: 3_600,
    });
  });

  it('keeps an installation in the folder that is named, from wherever it runs', () => {
    expect(readArguments(['query', '--data', 'kept'])).toMatchObject({ keptIn: resolve('kept') });
    expect(readArguments(['query'])).toMatchObject({ keptIn: undefined });
  });

  it.each([
    ['a part nobody knows', ['nonsense'], 'There is no part "nonsense".'],
    ['too few events', ['--events', '5'], '--events must be a whole number from 10000.'],
    ['too short a day', ['--seconds', '1'], '--seconds must be a whole number from 10.'],
    ['too little memory', ['--memory', '1'], '--memory must be a whole number from 512.'],
    ['a day that is too full', ['--today', '100'], '--today must be a number from 0 to 90.'],
    ['an option nobody knows', ['--nonsense'], "Unknown option '--nonsense'"],
  ])('refuses %s and says what it takes', (_, args, sentence) => {
    expect(() => readArguments(args)).toThrow(sentence);
    expect(() => readArguments(args)).toThrow(USAGE);
  });
});
