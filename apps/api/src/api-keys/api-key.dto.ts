import type { ApiKey } from '@ledgerline/contracts/records';
import { SCOPES, type Scope } from '@ledgerline/contracts/events/api-key.events';
import { SECRET_PREFIX } from '@ledgerline/platform/api-keys/secret';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { historyOf, RecordDto, type Plain } from '../http/record.dto';
import { RateLimitDto, RESOURCES } from './api-key-settings.dto';

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

/** The record of a key with the secret that its command stored, unless an earlier request stored another. */
export const apiKeyWithSecret = (
  record: Plain<ApiKeyDto>,
  secret: string,
  replayed: boolean,
): Plain<ApiKeyWithSecretDto> => (replayed ? { ...record, secret: null, replayed } : { ...record, secret });
