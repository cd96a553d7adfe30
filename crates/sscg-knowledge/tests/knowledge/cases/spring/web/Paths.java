package shop.web;

final class Paths {
    static final String VISITS = "/visits";
}
