import type { Json } from '@ledgerline/contracts/json';
import { FLAG_REASONS, type FlagResult } from '@ledgerline/domain/flags/evaluate-flag';
import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { Plain } from '../../http/record.dto';
import { ApiJson } from '../flag-fields';

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
  flags: Readonly<Record<string, Plain<FlagResultDto>>>;

  @ApiProperty({ type: 'integer' })
  count: number;
}
