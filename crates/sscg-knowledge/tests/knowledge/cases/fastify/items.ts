import type { FastifyInstance, FastifyPluginOptions } from 'fastify';

export default async function items(server: FastifyInstance, options: FastifyPluginOptions) {
  server.get('/', { schema: {} }, list);
  server.route({ method: ['PUT', 'PATCH'], url: '/:id', handler: change });
}

async function list() {
  return [];
}

async function change() {
  return {};
}
