using Shop;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddControllers();
var app = builder.Build();
app.MapControllers();
app.MapGet("/", () => "Hello");
app.MapMethods("/echo", new[] { "GET", "PUT" }, (string text) => text);
app.MapMethods("/check", [HttpMethods.Options], () => Results.Ok());
app.MapBasket();
app.MapGroup("/api/orders").WithTags("Orders").MapOrders().RequireAuthorization();
app.Run();
