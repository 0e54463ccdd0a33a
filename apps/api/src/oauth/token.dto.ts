import { ApiProperty } from '@nestjs/swagger';

export class AccessTokenDto {
  @ApiProperty({ example: 'oat_aBcD' })
  access_token: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type: string;

  @ApiProperty({ type: 'integer', description: 'Seconds' })
  expires_in: number;

  @ApiProperty({ description: 'Takes the place of the one that was sent', required: false })
  refresh_token?: string;

  @ApiProperty({ description: 'What the person allowed, separated by spaces' })
  scope: string;
}

/** The error body of every route, with what RFC 6749 adds; `error` is its code. */
export class OAuthErrorDto {
  @ApiProperty({ enum: [false] })
  success: false;

  @ApiProperty({ example: 'invalid_grant' })
  error: string;

  @ApiProperty({ required: false })
  error_description?: string;

  @ApiProperty({ example: 'VALIDATION_ERROR' })
  code: string;

  @ApiProperty()
  requestId: string;
  @ApiProperty({
    required: false,
    type: 'array',
    description: 'Every wrong field of a form that cannot be read',
    items: {
      type: 'object',
      properties: { field: { type: 'string' }, message: { type: 'string' }, suggestion: { type: 'string' } },
      required: ['field', 'message'],
    },
  })
  details?: readonly object[];
}
