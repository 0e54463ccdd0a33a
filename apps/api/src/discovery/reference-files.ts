import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pageOf, SCRIPT, STYLE } from './reference-page';

export interface ReferenceFile {
  readonly type: string;
  readonly content: string | Buffer;
}

const javascript = 'text/javascript; charset=utf-8';
const css = 'text/css; charset=utf-8';

/** Swagger UI as its package ships it, which is a dependency of `@nestjs/swagger`. */
function fromSwaggerUi(name: string): Buffer {
  const { resolve } = createRequire(require.resolve('@nestjs/swagger/package.json'));
  return readFileSync(join(dirname(resolve('swagger-ui-dist/package.json')), name));
}

/** The page and everything that it loads, by name; nothing comes from another host. */
export const referenceFiles = (): ReadonlyMap<string, ReferenceFile> =>
  new Map([
    ['index.html', { type: 'text/html; charset=utf-8', content: pageOf() }],
    ['reference.css', { type: css, content: STYLE }],
    ['reference.js', { type: javascript, content: SCRIPT }],
    ['swagger-ui.css', { type: css, content: fromSwaggerUi('swagger-ui.css') }],
    ['swagger-ui-bundle.js', { type: javascript, content: fromSwaggerUi('swagger-ui-bundle.js') }],
    ['favicon-32x32.png', { type: 'image/png', content: fromSwaggerUi('favicon-32x32.png') }],
  ]);
