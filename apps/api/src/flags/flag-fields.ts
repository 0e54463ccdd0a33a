import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { ANY_JSON, anyJson } from '../http/json-schema';
import { AsSent } from '../http/nested';

interface JsonFieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly required?: boolean;
}

/** The documentation of a field that holds JSON of any kind. */
export const ApiJson = ({ description, example, nullable = false, required = true }: JsonFieldOptions) =>
  ApiProperty({
    description,
    required,
    anyOf: nullable ? anyJson.anyOf : ANY_JSON,
    ...(example === undefined ? {} : { example }),
  });

/** Any JSON that is not too long; null and what is absent may be, where the field says so. */
export const JsonField = (maxBytes: number, options: JsonFieldOptions) =>
  applyDecorators(ApiJson(options), AsSent(), isShort(maxBytes, options.required ?? true));

/** Holds for what is at most so long as JSON. */
export const isShort = (maxBytes: number, required = false) =>
  ValidateBy({
    name: 'isShort',
    validator: {
      validate: (value: unknown) => {
        if (value === undefined || value === null) return !required;
        return Buffer.byteLength(JSON.stringify(value)) <= maxBytes;
      },
      defaultMessage: (field?: ValidationArguments) => `${field?.property} must be JSON of at most ${maxBytes} bytes`,
    },
  });
