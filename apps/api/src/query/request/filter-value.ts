import { registerDecorator, type ValidationArguments } from 'class-validator';

const MAX_LENGTH = 2048;
const MAX_VALUES = 100;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_LENGTH;

/** A text, or for the ops `in` and `not_in` a list of texts. */
export function IsFilterValue(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isFilterValue',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown, { object }: ValidationArguments = NOWHERE) =>
          wantsList(object)
            ? Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every(isText)
            : isText(value),
        defaultMessage: ({ object }: ValidationArguments = NOWHERE) =>
          wantsList(object)
            ? `value must be a list of 1 to ${MAX_VALUES} texts for the ops in and not_in`
            : `value must be a text of at most ${MAX_LENGTH} characters`,
      },
    });
  };
}

const NOWHERE: ValidationArguments = { value: undefined, constraints: [], targetName: '', object: {}, property: '' };

const wantsList = (filter: object): boolean => 'op' in filter && (filter.op === 'in' || filter.op === 'not_in');
