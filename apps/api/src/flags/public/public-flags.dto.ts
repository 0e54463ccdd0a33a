import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { Json } from '@ledgerline/contracts/json';
import { FLAG_REASONS, type FlagResult } from '@ledgerline/domain/flags/evaluate-flag';
import type { FlagContext } from '@ledgerline/domain/flags/flag-rules';
import { forbiddenValue, parseJson } from '@ledgerline/platform/http/json-body';
import { Text } from '../../http/fields';
import { invalid } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { ApiJson } from '../flag-rule.dto';

const optional = { optional: true, isCompared: true } as const;

/** The greatest length of the id or address of a person, an organization or a team, in characters. */
const MAX_NAMED = 255;
const MAX_ENVIRONMENT = 50;

/** For whom flags are evaluated, in the query string. */
class FlagQueryDto {
  @Text(1, 64, { description: 'The id of the website' })
  clientId: string;

  @Text(0, MAX_NAMED, { description: 'The id of the person, of your own choice', example: 'customer-7', ...optional })
  userId?: string;

  @Text(0, MAX_NAMED, { description: 'The address of the person', ...optional })
  email?: string;

  @Text(0, MAX_NAMED, {
    description: 'The organization of the person, for rules and shares of organizations',
    ...optional,
  })
  organizationId?: string;

  @Text(0, MAX_NAMED, { description: 'The team of the person, for rules and shares of teams', ...optional })
  teamId?: string;

  @Text(0, 8_000, {
    description: 'What else rules compare, as JSON: an object',
    example: '{"plan":"team"}',
    multiline: true,
    ...optional,
  })
  properties?: string;

  @Text(0, MAX_ENVIRONMENT, { description: 'Flags of this environment are found, too', ...optional })
  environment?: string;
}

export class FlagsQueryDto extends FlagQueryDto {
  @Text(0, 8_000, { description: 'Only these flags: their keys, separated by commas', ...optional })
  keys?: string;
}

export class OneFlagQueryDto extends FlagQueryDto {
  @Text(1, 100, { description: 'The key of the flag', example: 'new-checkout' })
  key: string;
}

/** @throws Problem VALIDATION_ERROR when the properties are no JSON object */
export const flagContextOf = ({
  userId,
  email,
  organizationId,
  teamId,
  environment,
  ...rest
}: PlainData<FlagQueryDto>) => ({
  userId,
  email,
  organizationId,
  teamId,
  environment,
  properties: readProperties(rest.properties),
});

function readProperties(text: string | undefined): FlagContext['properties'] {
  if (!text) return {};
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || forbiddenValue(value))
    throw invalid([{ field: 'properties', message: 'Must be a JSON object.' }]);
  return value as FlagContext['properties'];
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, true);
  } catch {
    return undefined;
  }
}

/** The result of evaluating a flag for a context. */
export class FlagResultDto {
  @ApiProperty()
  enabled: boolean;

  @ApiJson({ description: 'A boolean, except of a multivariant flag' })
  value: Json;

  @ApiJson({ description: 'That of the flag while it is enabled, else null', nullable: true })
  payload: Json;

  @ApiProperty({ enum: FLAG_REASONS })
  reason: FlagResult['reason'];

  @ApiPropertyOptional({ description: 'The key of the variant' })
  variant?: string;
}

export class FlagResultsDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(FlagResultDto) },
    description: 'By key; flags that do not exist are left out',
  })
  flags: Readonly<Record<string, PlainData<FlagResultDto>>>;

  @ApiProperty({ type: 'integer' })
  count: number;
}
