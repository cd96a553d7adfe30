import Fastify from 'fastify';
import items from './items';
import { health } from './health';

export function build() {
  const server = Fastify({ logger: true });
  server.register(items, { prefix: '/items' });
  server.register(health);
  server.register(
    async (admin) => {
      admin.post('/reload', async () => ({ ok: true }));
    },
    { prefix: '/admin' },
  );
  return server;
}

build().listen({ port: 3000 });
