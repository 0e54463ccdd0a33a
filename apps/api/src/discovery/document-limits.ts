import { ApiProperty } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

interface Class {
  readonly name: string;
  readonly prototype: object;
}

type Keywords = Readonly<Record<string, unknown>>;

/** Which keywords of JSON schema say the same as a rule of class-validator. */
const KEYWORDS: Readonly<Partial<Record<string, (...limits: readonly unknown[]) => Keywords>>> = {
  isInt: () => ({ type: 'integer' }),
  min: (minimum) => ({ minimum }),
  max: (maximum) => ({ maximum }),
  isLength: (minLength, maxLength) => ({ minLength, maxLength }),
  minLength: (minLength) => ({ minLength }),
  maxLength: (maxLength) => ({ maxLength }),
  arrayMinSize: (minItems) => ({ minItems }),
  arrayMaxSize: (maxItems) => ({ maxItems }),
  arrayUnique: () => ({ uniqueItems: true }),
  isOptional: () => ({ nullable: true }),
};

/**
 * Adds the limits that are enforced to the documentation of every field of every DTO, so that the two cannot differ.
 * Patterns are documented by hand, because those of free texts are of no use to a reader.
 */
export function documentLimits(): void {
  for (const rule of validationRules()) {
    const documented = documentationOf(rule);
    const keywords = KEYWORDS[rule.name ?? '']?.(...((rule.constraints as unknown[] | undefined) ?? []));
    if (!documented || !keywords || (rule.each && documented['type'] === 'array')) continue;
    ApiProperty(keywords)((rule.target as Class).prototype, rule.propertyName);
  }
}

/** Fields with rules but without `@ApiProperty`: `CreateLinkDto.slug`. */
export function undocumentedFields(): readonly string[] {
  const silent = validationRules().filter((rule) => !documentationOf(rule));
  return [...new Set(silent.map(({ target, propertyName }) => `${(target as Class).name}.${propertyName}`))];
}

/** The key under which `@ApiProperty` keeps its options, which its package does not export. */
const OPTIONS = 'swagger/apiModelProperties';

const documentationOf = ({ target, propertyName }: ValidationMetadata) =>
  Reflect.getMetadata(OPTIONS, (target as Class).prototype, propertyName) as Keywords | undefined;

/** TRICKY: the library has no list of the classes with rules, but keeps the rules in a private map by class. */
function validationRules(): readonly ValidationMetadata[] {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    readonly validationMetadatas: ReadonlyMap<unknown, readonly ValidationMetadata[]>;
  };
  return [...validationMetadatas.values()].flat();
}
