import express from 'express';

export function makeOrders() {
  const router = express.Router();
  router.post('/', authenticate, create);
  return router;
}

function authenticate(request, response, next) {
  next();
}

async function create(request, response) {
  response.sendStatus(201);
}

export const unmounted = express.Router().get('/unmounted', create);
