const express = require('express');

class Reports {
  constructor() {
    this.router = express.Router();
    this.router.get('/daily', this.daily.bind(this));
  }

  daily(request, response) {
    response.json([]);
  }
}

module.exports = Reports;
