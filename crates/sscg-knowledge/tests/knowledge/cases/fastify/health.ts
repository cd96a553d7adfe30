export const health = async (server) => {
  server.get('/health', async () => 'ok');
};
