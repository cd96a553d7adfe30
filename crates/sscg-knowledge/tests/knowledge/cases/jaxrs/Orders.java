package shop;

import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;

@Path("orders")
@Produces("application/json")
public class Orders {
    @GET
    public String list() { return ""; }

    @GET
    @Path("{id}")
    public String show(@PathParam("id") String id) { return id; }

    @POST
    public void create() {}

    @DELETE
    @Path("/{id: [0-9]+}/lines")
    public void remove() {}

    public String helper() { return ""; }
}
