export default function handler(request, response) {
  response.json({});
}
