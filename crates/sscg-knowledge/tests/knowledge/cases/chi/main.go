package main

import (
	"net/http"

	"example.com/shop/users"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

const ordersPath = "/orders"

type server struct {
	router chi.Router
}

func main() {
	r := chi.NewRouter()
	r.Use(middleware.Logger)
	r.Get("/", index)
	r.Mount("/users", users.Routes())
	r.Route(ordersPath, func(r chi.Router) {
		r.With(paginate).Get("/", listOrders)
		r.Post("/", createOrder)
		r.Route("/{orderID}", func(r chi.Router) {
			r.Use(orderContext)
			r.Get("/", getOrder)
			r.Delete("/", deleteOrder)
		})
	})
	r.Group(func(r chi.Router) {
		r.Use(authenticate)
		r.Method("PUT", "/settings", http.HandlerFunc(putSettings))
		r.MethodFunc(http.MethodPatch, "/settings", patchSettings)
	})
	r.Mount("/admin", adminRouter())
	s := &server{router: r}
	s.routes()
	s.Mount(r)
	http.ListenAndServe(":8080", r)
}

func (s *server) routes() {
	s.router.Get("/health", s.health)
	s.router.Get("/ready", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(200) })
}

func (r *server) Mount(m chi.Router) {
	m.Route("/reports", func(r chi.Router) { r.Get("/", listReports) })
	m.Route("/stock", r.stock)
	m.Group(accounts)
}

func (s *server) stock(r chi.Router) {
	r.Get("/levels", s.levels)
}

func (s *server) levels(w http.ResponseWriter, r *http.Request) {}

func accounts(r chi.Router) {
	r.Get("/accounts", listAccounts)
}

func (s *server) health(w http.ResponseWriter, r *http.Request) {}

func adminRouter() http.Handler {
	r := chi.NewRouter()
	r.Get("/accounts/{id:[0-9]+}", showAccount)
	r.HandleFunc("/debug", debug)
	return r
}

func index(w http.ResponseWriter, r *http.Request)         {}
func listOrders(w http.ResponseWriter, r *http.Request)    {}
func createOrder(w http.ResponseWriter, r *http.Request)   {}
func getOrder(w http.ResponseWriter, r *http.Request)      {}
func deleteOrder(w http.ResponseWriter, r *http.Request)   {}
func putSettings(w http.ResponseWriter, r *http.Request)   {}
func patchSettings(w http.ResponseWriter, r *http.Request) {}
func showAccount(w http.ResponseWriter, r *http.Request)   {}
func debug(w http.ResponseWriter, r *http.Request)         {}
func listReports(w http.ResponseWriter, r *http.Request)   {}
func listAccounts(w http.ResponseWriter, r *http.Request)  {}
func paginate(next http.Handler) http.Handler              { return next }
func orderContext(next http.Handler) http.Handler          { return next }
func authenticate(next http.Handler) http.Handler          { return next }
