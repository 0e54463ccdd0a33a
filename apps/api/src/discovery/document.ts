import type { OpenAPIObject } from '@nestjs/swagger';

export type Components = NonNullable<OpenAPIObject['components']>;
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The keywords of JSON schema that are read here. */
export interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export type Schemas = Readonly<Record<string, Schema>>;
