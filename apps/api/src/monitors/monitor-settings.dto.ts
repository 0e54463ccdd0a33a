import {
  MONITOR_INTERVAL,
  MONITOR_METHODS,
  MONITOR_TIMEOUT,
  type MonitorDetails,
  type MonitorMethod,
  type MonitorSettings,
} from '@ledgerline/contracts/events/monitor.events';
import { omit } from '@ledgerline/domain/changes';
import { plainMonitor } from '@ledgerline/domain/monitors/plain-monitor';
import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Id, sent, Text, WebAddress } from '../http/fields';
import type { Plain } from '../http/record.dto';
import { Headers } from './header-fields';

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Absent: there is no default. */
  readonly default?: number;
}

const WholeNumber = ({ min, max, ...usual }: Bounds, description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', nullable: true, minimum: min, maximum: max, ...usual, description }),
    IsOptional(),
    IsInt(),
    Min(min),
    Max(max),
  );

const MAX_BODY_LENGTH = 10_000;

/** What has a default; null = the default. */
class MonitorOptionsDto {
  @ApiPropertyOptional({ enum: MONITOR_METHODS, nullable: true, default: 'GET' })
  @IsOptional()
  @IsIn(MONITOR_METHODS)
  method?: MonitorMethod | null;

  @WholeNumber(MONITOR_INTERVAL, 'Between two checks')
  intervalSeconds?: number | null;

  @WholeNumber(MONITOR_TIMEOUT, 'How long a check may take, redirects included')
  timeoutSeconds?: number | null;

  @WholeNumber({ min: 100, max: 599 }, 'The only status that counts as up; null = 200 to 299, behind redirects')
  expectedStatus?: number | null;

  @Text(1, 255, {
    description: 'A text that the first MiB of the body must hold; null = any body',
    optional: true,
    nullable: true,
  })
  expectedText?: string | null;

  @Text(1, 255, {
    description: 'A text that the first MiB of the body must not hold; null = any body',
    optional: true,
    nullable: true,
  })
  unwantedText?: string | null;

  @WholeNumber({ min: 1, max: 30_000 }, 'A check that takes longer, in ms, is degraded; null = none is')
  slowAfterMs?: number | null;

  @WholeNumber(
    { min: 1, max: 365 },
    'Degraded while the certificate is valid for fewer days; null = it does not matter until it expires',
  )
  certificateDays?: number | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'Up also with a certificate that is not trusted: an attacker on the way can answer in its place',
  })
  @IsOptional()
  @IsBoolean()
  ignoreTlsErrors?: boolean | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_BODY_LENGTH,
    description: 'What a POST sends, as JSON or a form unless a header says its type; shown to members',
  })
  @IsOptional()
  @IsString()
  @Length(1, MAX_BODY_LENGTH)
  body?: string | null;

  @Headers('Sent with every check, but not to another origin that a redirect leads to; encrypted, and never shown')
  headers?: Readonly<Record<string, string>> | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'A paused monitor is not checked',
    default: false,
  })
  @IsOptional()
  @IsBoolean()
  paused?: boolean | null;
}

export class CreateMonitorDto extends MonitorOptionsDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Shop' })
  name: string;

  @WebAddress({ description: 'What is checked: a public address', example: 'https://example.com/' })
  url: string;
}

/** What is left out stays as it is. */
export class UpdateMonitorDto extends MonitorOptionsDto {
  @Text(1, 100, { description: 'Display name', example: 'Shop', optional: true })
  name?: string;

  @WebAddress({ description: 'What is checked: a public address', optional: true })
  url?: string;
}

/** Headers with their values, by name. */
export type MonitorHeaders = Readonly<Record<string, string>>;

/** A monitor with its headers in the clear. */
export type OpenMonitor = Omit<MonitorDetails, 'headerNames' | 'sealedHeaders'> & { readonly headers: MonitorHeaders };
export type MonitorChanges = Partial<Omit<OpenMonitor, 'organizationId'>>;

const DEFAULTS = { ...omit(plainMonitor, 'headerNames', 'sealedHeaders'), headers: {} };

/** With the defaults of what was left out. */
export const newMonitor = ({ organizationId, name, url, ...options }: Plain<CreateMonitorDto>): OpenMonitor => ({
  ...DEFAULTS,
  ...(monitorChanges(options) as Partial<typeof DEFAULTS>),
  organizationId,
  name,
  url,
});

/** Only what was sent. */
export function monitorChanges(body: Plain<UpdateMonitorDto>): MonitorChanges {
  const defaults: Readonly<Record<string, unknown>> = DEFAULTS;
  const fields = Object.entries(sent(body)).map(([name, value]) => [name, value ?? defaults[name]]);
  return Object.fromEntries(fields) as MonitorChanges; // as the DTO has validated it
}

export type SealedMonitorHeaders = Pick<MonitorSettings, 'headerNames' | 'sealedHeaders'>;
