package shop.web;

import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.web.bind.annotation.GetMapping;

@FeignClient("owners")
public interface OwnersClient {
    @GetMapping("/not/a/route")
    String get();
}
