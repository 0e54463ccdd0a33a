/** The suite imports `globSync`, which Node has from 22 on, for a command that is not used here. */
import { register } from 'node:module';

const hooks = `
  const SUITE = '/@modelcontextprotocol/conformance/';
  export const resolve = (specifier, context, next) =>
    specifier === 'fs' && context.parentURL?.includes(SUITE) ? { url: 'suite:fs', shortCircuit: true } : next(specifier, context);
  export const load = (url, context, next) =>
    url === 'suite:fs'
      ? { format: 'module', shortCircuit: true, source: "export * from 'node:fs'; export const globSync = () => [];" }
      : next(url, context);
`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
