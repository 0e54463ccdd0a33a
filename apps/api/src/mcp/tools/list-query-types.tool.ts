import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { Text } from '../../http/fields';
import { list, object, text, whole, yes } from '../../http/json-schema';
import { describeTypes } from '../../query/http/describe-types';
import { CONFIG } from '../../query/http/query-schemas';
import { QUERY_ABOUT, type QueryAbout } from '../../query/query-type';
import { CATALOGUE } from '../../query/types/catalogue';
import { tool } from '../tool';

/** So many are described with their fields and filters; of more, only what they mean. */
const MAX_DETAILED = 12;

const CATEGORIES = [...new Set(CATALOGUE.map(({ category }) => category))];

class ListQueryTypesInput {
  @ApiPropertyOptional({
    enum: QUERY_ABOUT,
    description: 'Only types that are asked of a website, a short link or a monitor',
  })
  @IsOptional()
  @IsIn(QUERY_ABOUT)
  about?: QueryAbout;

  @ApiPropertyOptional({ enum: CATEGORIES })
  @IsOptional()
  @IsIn(CATEGORIES)
  category?: string;

  @Text(1, 100, {
    description: 'Only types with all of these words in their name, meaning or category',
    optional: true,
    example: 'referrer',
  })
  search?: string;
}

type Config = ReturnType<typeof describeTypes>['configs'][string];

const { configs, presets } = describeTypes();
const { properties } = CONFIG;

export const listQueryTypes = tool({
  name: 'list_query_types',
  title: 'List query types',
  description:
    `The questions that \`query\` answers: names, meanings and, when at most ${MAX_DETAILED} match, the fields of their ` +
    'rows and the filters they take. All of a website: about "website"; of a short link: "link"; of a monitor: "monitor".',
  action: null,
  effect: 'read',
  input: ListQueryTypesInput,
  output: object(
    {
      types: list({
        type: 'object',
        properties: { name: text, ...properties },
        required: ['name', 'about', 'category', 'meaning'],
      }),
      total: whole,
      categories: list(text),
      presets: list(text),
      truncated: yes,
      note: text,
    },
    'note',
  ),
  answer: (wanted) => {
    const found = Object.entries(configs).filter(([name, config]) => isWanted(name, config, wanted));
    const truncated = found.length > MAX_DETAILED;
    const types = found.map(([name, config]) => (truncated ? { name, ...briefly(config) } : { name, ...config }));
    return Promise.resolve({
      types,
      total: types.length,
      categories: CATEGORIES,
      presets,
      truncated,
      ...(truncated ? { note: 'Without fields and filters: narrow down by `category` or `search` to see them.' } : {}),
    });
  },
});

const briefly = ({ about, category, meaning }: Config) => ({ about, category, meaning });

function isWanted(name: string, { about, category, meaning }: Config, wanted: ListQueryTypesInput): boolean {
  const words = wanted.search?.toLowerCase().split(/\s+/) ?? [];
  const searched = `${name} ${meaning} ${category}`.toLowerCase();
  return (
    (wanted.about ?? about) === about &&
    (wanted.category ?? category) === category &&
    words.every((word) => searched.includes(word))
  );
}
