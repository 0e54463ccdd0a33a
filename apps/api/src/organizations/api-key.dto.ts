import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { SCOPES, type Scope } from '@ledgerline/contracts/events/api-key.events';
import type { ApiKey } from '@ledgerline/contracts/records';
import { isResourceName } from '@ledgerline/domain/api-keys/api-key.decider';
import { SECRET_PREFIX } from '@ledgerline/platform/api-keys/secret-store';
import { historyOf, updateDtoClass } from '../commands/resource';
import { FutureInstant, Id, Instant, Text } from '../http/fields';
import { AsSent, MaxEntries, NestedObject } from '../http/nested';
import { RecordDto, type PlainData } from '../http/record.dto';

class RateLimitDto {
  @ApiProperty({ description: 'Requests per window', minimum: 1, maximum: 1_000_000 })
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  max: number;

  @ApiProperty({ minimum: 1, maximum: 86_400 })
  @IsInt()
  @Min(1)
  @Max(86_400)
  windowSeconds: number;
}

const isScope = (value: unknown): value is Scope => SCOPES.some((scope) => scope === value);

const isResources = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, scopes]) => isResourceName(name) && Array.isArray(scopes) && scopes.every(isScope) && isUnique(scopes),
  );

const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** An event of a changed key holds them twice, before and after, in its 64 KiB. */
const MAX_RESOURCES = 250;

const EXPIRY = { description: 'When it expires', optional: true, nullable: true };

/** The schema of the scopes by resource. */
const RESOURCES = {
  type: 'object' as const,
  additionalProperties: { type: 'array', items: { type: 'string', enum: [...SCOPES] } },
};

const SCOPES_FIELD = {
  enum: SCOPES,
  isArray: true,
  description: 'For every listed resource, or globally without resources',
  example: ['read:data'],
} as const;

/** Different scopes that exist. */
const Scopes = () =>
  applyDecorators(IsArray(), ArrayUnique(), ArrayMaxSize(SCOPES.length), IsIn(SCOPES, { each: true }));

/** The settings of a new key; null = the default. */
export class CreateApiKeyDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Reporting' })
  name: string;

  @ApiProperty(SCOPES_FIELD)
  @Scopes()
  scopes: Scope[];

  /** The expiry. Whether it lies in the future is decided with its command, which may be a repetition. */
  @Instant(EXPIRY)
  expiresAt?: string | null;

  @Text(1, 500, { description: 'What it is for', optional: true, nullable: true, multiline: true })
  description?: string | null;

  @ApiPropertyOptional({
    ...RESOURCES,
    nullable: true,
    description:
      'Absent = global access; else exactly these: `{"website:<id>": [scopes]}`, `{"global": [scopes]}`; up to 250',
  })
  @IsOptional()
  @IsObject()
  @ValidateBy(
    { name: 'isResources', validator: { validate: isResources } },
    { message: 'resources must map "global" or "website:<id>" to lists of different scopes' },
  )
  @MaxEntries(MAX_RESOURCES, `resources must name at most ${MAX_RESOURCES}; a key of global access needs none`)
  @AsSent()
  resources?: Record<string, Scope[]> | null;

  @ApiPropertyOptional({ type: [String], maxItems: 10, nullable: true })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 50, { each: true })
  @Matches(/^\P{Cc}*$/u, { each: true, message: 'must not hold control characters' })
  tags?: string[] | null;

  @ApiPropertyOptional({
    type: RateLimitDto,
    nullable: true,
    description: 'Its own rate limit instead of the default ones',
  })
  @IsOptional()
  @NestedObject(() => RateLimitDto)
  rateLimit?: RateLimitDto | null;
}

/** The changes of a API key: what is left out stays as it is. */
export class UpdateApiKeyDto extends updateDtoClass(CreateApiKeyDto, 'organizationId', 'expiresAt') {
  @ApiPropertyOptional({ description: 'A disabled key is refused until it is enabled again' })
  @ValidateIf((_: unknown, value: unknown) => value !== undefined)
  @IsBoolean()
  enabled?: boolean;

  @FutureInstant(EXPIRY)
  expiresAt?: string | null;
}

export class ApiKeyDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ example: SECRET_PREFIX })
  prefix: string;

  @ApiProperty({ description: 'The first eight characters of the secret', example: 'svc_a1B2' })
  start: string;

  @ApiProperty()
  enabled: boolean;

  @ApiProperty({ enum: SCOPES, isArray: true })
  scopes: readonly Scope[];

  @ApiProperty({ ...RESOURCES, nullable: true })
  resources: Readonly<Record<string, readonly Scope[]>> | null;

  @ApiProperty({ type: [String] })
  tags: readonly string[];

  @ApiProperty({ type: RateLimitDto, nullable: true })
  rateLimit: Readonly<RateLimitDto> | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Within five minutes' })
  lastUsedAt: string | null;
}

/** A key with a new secret. */
export class ApiKeyWithSecretDto extends ApiKeyDto {
  @ApiProperty({ type: String, nullable: true, description: 'Shown only once; null when the request is a repetition' })
  secret: string | null;

  @ApiPropertyOptional({ description: 'True when an earlier request with this Idempotency-Key made the secret' })
  replayed?: true;
}

/** Lists each field, so that what a key has beyond them, such as the id of its secret, is never shown. */
export const apiKeyDto = (key: ApiKey, lastUsedAt: Date | undefined): PlainData<ApiKeyDto> => ({
  id: key.id,
  organizationId: key.organizationId,
  name: key.name,
  description: key.description,
  prefix: SECRET_PREFIX,
  start: key.start,
  enabled: key.enabled,
  scopes: key.scopes,
  resources: key.resources,
  tags: key.tags,
  rateLimit: key.rateLimit,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  ...historyOf(key),
});
