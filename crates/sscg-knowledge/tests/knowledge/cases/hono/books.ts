import { Hono } from 'hono';

const books = new Hono<{ Bindings: Env }>()
  .get('/', (c) => c.json([]))
  .delete('/:id{[0-9]+}', (c) => c.body(null, 204));

export default books;
