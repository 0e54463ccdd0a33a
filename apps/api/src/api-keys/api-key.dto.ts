import { SCOPES, type ApiKeyDetails, type Scope } from '@ledgerline/contracts/events/api-key.events';
import { isResourceName } from '@ledgerline/domain/api-keys/resource-name';
import type { ApiKey } from '@ledgerline/domain/registry/registry';
import { SECRET_PREFIX } from '@ledgerline/platform/api-keys/secret';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
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
  ValidateNested,
} from 'class-validator';
import { FutureInstant, Id, Text } from '../http/fields';
import { historyOf, RecordDto, type Plain } from '../http/record.dto';

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
  Object.keys(value).length <= 1_000 &&
  Object.entries(value).every(
    ([name, scopes]) => isResourceName(name) && Array.isArray(scopes) && scopes.every(isScope),
  );

export class CreateApiKeyDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Reporting' })
  name: string;

  @Text(1, 500, { description: 'What it is for', optional: true, nullable: true, multiline: true })
  description?: string | null;

  @ApiProperty({ enum: SCOPES, isArray: true, description: 'For every listed resource, or globally without resources' })
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(SCOPES.length)
  @IsIn(SCOPES, { each: true })
  scopes: Scope[];

  @ApiPropertyOptional({
    type: Object,
    nullable: true,
    description: 'Absent = global access; else exactly these: `{"website:<id>": [scopes]}`, `{"global": [scopes]}`',
  })
  @IsOptional()
  @IsObject()
  @ValidateBy(
    { name: 'isResources', validator: { validate: isResources } },
    { message: 'resources must map "global" or "website:<id>" to lists of scopes' },
  )
  resources?: Record<string, Scope[]> | null;

  @ApiPropertyOptional({ type: [String], maxItems: 10 })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 50, { each: true })
  @Matches(/^[^\p{Cs}\p{Cc}]*$/u, { each: true, message: 'each value in tags must not hold control characters' })
  tags?: string[];

  @FutureInstant({ description: 'When it expires', optional: true, nullable: true })
  expiresAt?: string | null;

  @ApiPropertyOptional({
    type: RateLimitDto,
    nullable: true,
    description: 'Its own rate limit instead of the default ones',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => RateLimitDto)
  rateLimit?: RateLimitDto | null;
}

export const apiKeyDetails = (body: CreateApiKeyDto): ApiKeyDetails => ({
  organizationId: body.organizationId,
  name: body.name,
  description: body.description ?? null,
  scopes: body.scopes,
  resources: body.resources ?? null,
  tags: body.tags ?? [],
  rateLimit: body.rateLimit ? { max: body.rateLimit.max, windowSeconds: body.rateLimit.windowSeconds } : null,
  expiresAt: body.expiresAt ?? null,
});

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

  @ApiProperty({ type: Object, nullable: true })
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

export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({ type: String, nullable: true, description: 'Shown only once; null when the request is a repetition' })
  secret: string | null;

  @ApiPropertyOptional({ description: 'True when an earlier request with this Idempotency-Key created it' })
  replayed?: true;
}

/** Lists each field, so that what a key has beyond them, such as the id of its secret, is never shown. */
export const apiKeyDto = (key: ApiKey, lastUsedAt: Date | undefined): Plain<ApiKeyDto> => ({
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
