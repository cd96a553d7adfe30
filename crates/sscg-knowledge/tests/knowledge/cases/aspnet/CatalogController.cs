using Microsoft.AspNetCore.Mvc;

namespace Shop;

[ApiController]
[Route("api/v{version:apiVersion}/[controller]")]
public class CatalogController : ControllerBase
{
    [HttpGet]
    public IActionResult List() => Ok();

    [HttpGet("{id:int}", Name = "item")]
    public async Task<ActionResult<string>> Show(int id) => id.ToString();

    [HttpPost, Route("items")]
    public IActionResult Create([FromBody] string item) => Ok();

    [HttpDelete("~/items/{id?}")]
    public IActionResult Remove(int? id) => Ok();

    [HttpPut("[action]")]
    public IActionResult Replace() => Ok();

    public void Helper() { }
}

public class HomeController : Controller
{
    [HttpPost]
    public IActionResult Conventional() => View();
}

[Area("Admin")]
[Route("[area]/[controller]/[action]")]
public class StockController : Controller
{
    [HttpGet]
    public IActionResult Levels() => Ok();

    [HttpPost("{id}")]
    public async Task<IActionResult> RefillAsync(int id) => Ok();
}
