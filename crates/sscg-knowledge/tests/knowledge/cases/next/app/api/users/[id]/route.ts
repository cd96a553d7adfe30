export async function GET(request: Request) {
  return Response.json({});
}

const remove = async () => new Response(null, { status: 204 });
export { remove as DELETE };
export const dynamic = 'force-dynamic';
