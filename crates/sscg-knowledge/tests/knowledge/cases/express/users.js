const { Router } = require('express');
const controller = require('./controller');

const router = Router();
router.use('/:id/posts', posts());
router.get('/:id', controller.show);
router.put('/:id([0-9]+)', controller.replace.bind(controller));

function posts() {
  const nested = Router({ mergeParams: true });
  nested.get('/', listPosts);
  return nested;
}

function listPosts(request, response) {
  response.json([]);
}

module.exports = router;
