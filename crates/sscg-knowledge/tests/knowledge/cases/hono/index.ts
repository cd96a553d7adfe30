import { Hono } from 'hono';
import books from './books';

const app = new Hono();
app.get('/', (c) => c.text('hello'));
app.route('/books', books);

const api = app.basePath('/api').get('/time', (c) => c.text(String(Date.now())));
api.on(['PUT', 'PATCH'], '/clock', setClock);

function setClock(c) {
  return c.body(null, 204);
}

export default app;
