import fastify from 'fastify';

/** A Fastify app that only redirects; sends its port to the parent process. */
const app = fastify();

app.get('/:slug', (_, reply) =>
  reply.code(302).header('location', 'https://example.com/landing').header('cache-control', 'private, no-cache').send(),
);

app.listen({ port: 0, host: '127.0.0.1' }, (error) => {
  if (error) throw error;
  const address = app.server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
process.once('disconnect', () => process.exit(0));
