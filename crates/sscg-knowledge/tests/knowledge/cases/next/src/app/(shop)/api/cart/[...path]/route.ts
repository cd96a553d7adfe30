export const POST = async () => Response.json({});
