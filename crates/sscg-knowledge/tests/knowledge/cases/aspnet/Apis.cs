namespace Shop;

public static class Apis
{
    private const string Prefix = "/api/basket";

    public static IEndpointRouteBuilder MapBasket(this IEndpointRouteBuilder app)
    {
        var api = app.MapGroup(Prefix);
        api.MapGet("/{buyer}", GetBasket).WithName("GetBasket");
        api.MapPost("/checkout", (Checkout checkout) => Results.Ok());
        return app;
    }

    public static RouteGroupBuilder MapOrders(this RouteGroupBuilder group)
    {
        group.MapGet("/", Orders.List);
        group.MapDelete("{id:guid}", Orders.Cancel);
        return group;
    }

    public static string GetBasket(string buyer) => buyer;
}

public static class Orders
{
    public static string List() => "";

    public static string Cancel(Guid id) => "";
}
