const Koa = require('koa');
const Router = require('@koa/router');

const app = new Koa();
const router = new Router({ prefix: '/items' });

router.get('list', '/', list).post('/', create);
router.del('/:id', (ctx) => {
  ctx.status = 204;
});

async function list(ctx) {
  ctx.body = [];
}

async function create(ctx) {
  ctx.status = 201;
}

app.use(router.routes()).use(router.allowedMethods());
app.listen(3000);
