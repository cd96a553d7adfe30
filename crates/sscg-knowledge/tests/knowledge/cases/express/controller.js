exports.show = function show(request, response) {
  response.json({});
};

exports.replace = (request, response) => {
  response.json({});
};
