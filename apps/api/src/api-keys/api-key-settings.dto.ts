import { applyDecorators } from '@nestjs/common';
import {
  SCOPES,
  type ApiKeyDetails,
  type ApiKeySettings,
  type Scope,
} from '@ledgerline/contracts/events/api-key.events';
import { isResourceName } from '@ledgerline/domain/api-keys/resource-name';
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
import { FutureInstant, Id, Instant, sent, Text } from '../http/fields';
import { NestedObject } from '../http/nested';

export class RateLimitDto {
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

const areFew = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length <= MAX_RESOURCES;

const EXPIRY = { description: 'When it expires', optional: true, nullable: true };

/** The schema of the scopes by resource. */
export const RESOURCES = {
  type: 'object' as const,
  additionalProperties: { type: 'array', items: { type: 'string', enum: [...SCOPES] } },
};

/** What may be left out when a key is created, and changed later; null clears. */
class ApiKeyOptionsDto {
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
  @ValidateBy(
    { name: 'areFew', validator: { validate: areFew } },
    { message: `resources must name at most ${MAX_RESOURCES}; a key of global access needs none` },
  )
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

const SCOPES_FIELD = {
  enum: SCOPES,
  isArray: true,
  description: 'For every listed resource, or globally without resources',
  example: ['read:data'],
} as const;

/** Different scopes that exist. */
const Scopes = () =>
  applyDecorators(IsArray(), ArrayUnique(), ArrayMaxSize(SCOPES.length), IsIn(SCOPES, { each: true }));

export class CreateApiKeyDto extends ApiKeyOptionsDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Reporting' })
  name: string;

  @ApiProperty(SCOPES_FIELD)
  @Scopes()
  scopes: Scope[];

  /** Whether it lies in the future is decided with its command, which may be a repetition. */
  @Instant(EXPIRY)
  expiresAt?: string | null;
}

/** What is left out stays as it is. */
export class UpdateApiKeyDto extends ApiKeyOptionsDto {
  @Text(1, 100, { description: 'Display name', example: 'Reporting', optional: true })
  name?: string;

  @ApiPropertyOptional(SCOPES_FIELD)
  @ValidateIf((_: unknown, value: unknown) => value !== undefined)
  @Scopes()
  scopes?: Scope[];

  @ApiPropertyOptional({ description: 'A disabled key is refused until it is enabled again' })
  @ValidateIf((_: unknown, value: unknown) => value !== undefined)
  @IsBoolean()
  enabled?: boolean;

  @FutureInstant(EXPIRY)
  expiresAt?: string | null;
}

/** With the defaults of what was left out. */
export const apiKeyDetails = (body: CreateApiKeyDto): ApiKeyDetails => ({
  organizationId: body.organizationId,
  name: body.name,
  description: body.description ?? null,
  scopes: body.scopes,
  resources: body.resources ?? null,
  tags: body.tags ?? [],
  rateLimit: plainRateLimit(body.rateLimit ?? null),
  expiresAt: body.expiresAt ?? null,
});

/** Only what was sent. */
export const apiKeyChanges = ({ tags, rateLimit, ...others }: UpdateApiKeyDto): Partial<ApiKeySettings> => ({
  ...sent(others),
  ...(tags === undefined ? {} : { tags: tags ?? [] }),
  ...(rateLimit === undefined ? {} : { rateLimit: plainRateLimit(rateLimit) }),
});

const plainRateLimit = (rateLimit: RateLimitDto | null): ApiKeyDetails['rateLimit'] =>
  rateLimit && { max: rateLimit.max, windowSeconds: rateLimit.windowSeconds };
