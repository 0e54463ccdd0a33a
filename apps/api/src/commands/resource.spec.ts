import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { Id, Text, WholeNumber } from '../http/fields';
import { AsSent, NestedObject } from '../http/nested';
import { validated } from '../http/validation';
import { changesIn, updateDtoClass, withDtoDefaults } from './resource';

class ShareDto {
  @WholeNumber({ min: 1, max: 9 }, 'Of ten')
  tenths: number;
}

class CreateGoalDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 10, { description: 'Display name' })
  name: string;

  @WholeNumber({ min: 1, max: 9 }, 'How often')
  times?: number | null;

  @ApiPropertyOptional({ type: ShareDto })
  @IsOptional()
  @NestedObject(() => ShareDto)
  share?: ShareDto | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @AsSent()
  @IsOptional()
  value?: unknown;
}

class UpdateGoalDto extends updateDtoClass(CreateGoalDto, 'organizationId') {}

const DEFAULTS = { times: 3, share: null };

describe('a change of what is declared once', () => {
  it('may leave out what a new one needs, but not clear it', () => {
    expect(changesIn(validated(UpdateGoalDto, {}), DEFAULTS)).toEqual({});
    expect(() => validated(UpdateGoalDto, { name: null })).toThrow('not valid');
    expect(() => validated(CreateGoalDto, { organizationId: 'org_1' })).toThrow('not valid');
  });

  it('holds no field that is fixed', () => {
    expect(() => validated(UpdateGoalDto, { organizationId: 'org_1' })).toThrow('not valid');
  });

  it('validates objects as those of a new one, and lets names of JSON be', () => {
    expect(() => validated(UpdateGoalDto, { share: { tenths: 10 } })).toThrow('not valid');
    expect(() => validated(UpdateGoalDto, { share: { toString: 1 } })).toThrow('not valid');
    expect(validated(UpdateGoalDto, { value: { toString: 1 } }).value).toEqual({ toString: 1 });
  });

  it('sets null to the default, in plain data', () => {
    const body = validated(UpdateGoalDto, { times: null, share: { tenths: 1 } });
    expect(changesIn(body, DEFAULTS)).toStrictEqual({ times: 3, share: { tenths: 1 } });
  });

  it('is no part of a new one, which has all defaults', () => {
    const body = validated(CreateGoalDto, { organizationId: 'org_1', name: 'Sale', times: null });
    expect(withDtoDefaults(body, DEFAULTS)).toStrictEqual({
      organizationId: 'org_1',
      name: 'Sale',
      times: 3,
      share: null,
    });
  });
});
