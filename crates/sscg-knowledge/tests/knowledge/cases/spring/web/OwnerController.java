package shop.web;

import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/api/owners")
class OwnerController {
    private static final String PETS = "/{ownerId}/pets";
    private final Cache cache = new Cache();

    @GetMapping
    List<String> all() {
        cache.get("/not/a/route");
        return List.of();
    }

    @GetMapping({"/{ownerId}", "/by-id/{ownerId:\\d+}"})
    public String one(@PathVariable("ownerId") int ownerId) { return ""; }

    @PostMapping(path = PETS, consumes = "application/json")
    @ResponseStatus(code = CREATED)
    public ResponseEntity<String> addPet(@RequestBody String pet) { return null; }

    @RequestMapping(value = Paths.VISITS + "/{id}", method = {RequestMethod.PUT, RequestMethod.PATCH})
    void visit() {}

    @RequestMapping("/any")
    void any() {}

    @ExceptionHandler
    void failed() {}
}

class Cache {
    String get(String key) { return key; }
}
