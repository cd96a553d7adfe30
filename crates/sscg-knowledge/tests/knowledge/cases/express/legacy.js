module.exports = function (server) {
  server.patch('/legacy/:key', update);
};

function update(request, response) {
  response.sendStatus(204);
}
