import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pageOf } from './reference-page';
import { SCRIPT, THEME_SCRIPT } from './reference-scripts';
import { STYLE } from './reference-style';
import { SEARCH_SCRIPT } from './search-script';

export interface ReferenceFile {
  readonly type: string;
  readonly content: string | Buffer;
}

const javascript = (content: string | Buffer): ReferenceFile => ({ type: 'text/javascript; charset=utf-8', content });
const css = (content: string | Buffer): ReferenceFile => ({ type: 'text/css; charset=utf-8', content });

/** Swagger UI as its package ships it, which is a dependency of `@nestjs/swagger`. */
function fromSwaggerUi(name: string): Buffer {
  const { resolve } = createRequire(require.resolve('@nestjs/swagger/package.json'));
  return readFileSync(join(dirname(resolve('swagger-ui-dist/package.json')), name));
}

/** The page and everything that it loads, by name; nothing comes from another host. */
export const referenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map([
    ['index.html', { type: 'text/html; charset=utf-8', content: pageOf() }],
    ['reference.css', css(STYLE)],
    ['reference.js', javascript(SCRIPT)],
    ['search.js', javascript(SEARCH_SCRIPT)],
    ['theme.js', javascript(THEME_SCRIPT)],
    ['swagger-ui.css', css(fromSwaggerUi('swagger-ui.css'))],
    ['swagger-ui-bundle.js', javascript(fromSwaggerUi('swagger-ui-bundle.js'))],
    ['favicon-32x32.png', { type: 'image/png', content: fromSwaggerUi('favicon-32x32.png') }],
  ]);
