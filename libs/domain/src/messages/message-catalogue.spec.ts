import { Ajv2020 } from 'ajv/dist/2020';
import { MESSAGE_TYPES, NAMED_TYPES } from './message';
import { MESSAGE_CATALOGUE } from './message-catalogue';

describe('the catalogue of messages', () => {
  it('has each type once', () => {
    expect(MESSAGE_CATALOGUE.map(({ type }) => type).toSorted()).toEqual(
      [...new Set(MESSAGE_TYPES), ...NAMED_TYPES].toSorted(),
    );
  });

  it('has an example of each that is as its schema says, and of no other', () => {
    const ajv = new Ajv2020({ allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
    for (const { type, schema, example } of MESSAGE_CATALOGUE) {
      const isValid = ajv.compile(schema);
      isValid(example);
      expect({ type, errors: isValid.errors }).toEqual({ type, errors: null });
      expect(isValid({ ...example, type: 'other' })).toBe(false);
      expect(isValid({ ...example, data: {} })).toBe(false);
    }
  });
});
