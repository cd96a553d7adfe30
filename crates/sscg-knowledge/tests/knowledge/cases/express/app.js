const express = require('express');
const axios = require('axios');
const users = require('./users');
const { makeOrders } = require('./orders');
const Reports = require('./reports');

const app = express();
const PREFIX = '/api';
const cache = new Map();

app.set('title', 'shop');
app.get('title');
app.use(express.json());
app.use(`${PREFIX}/users`, users);
app.use(['/orders', '/purchases'], makeOrders());
app.use('/reports', new Reports().router);
require('./legacy')(app);

app.get(['/', '/index'], (request, response) => response.send(cache.get('/')));
app.all('/any', wrap(async (request, response) => response.send(await axios.get('/elsewhere', {}))));
app.route('/books').get(list).post((request, response) => response.sendStatus(201));

function wrap(handler) {
  return (request, response, next) => handler(request, response).catch(next);
}

function list(request, response) {
  cache.delete('/x', () => {});
  response.json([]);
}

app.listen(3000);
