/** How SWC compiles TypeScript to CommonJS, for `npm run build` and for the tests: JavaScript of Node 20, with the types of decorated members. */
exports.swcOptions = {
  swcrc: false,
  configFile: false,
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};
