package users

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

type resource struct{}

// Routes returns the routes of users.
func Routes() chi.Router {
	rs := resource{}
	r := chi.NewRouter()
	r.Get("/", rs.list)
	r.Get("/{id}", rs.get)
	return r
}

func cached() {
	cache := map[string]string{}
	get(cache, "/not/a/route")
}

func get(cache map[string]string, key string) string { return cache[key] }

func (rs resource) list(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	w.Header().Set("X-Name", name)
}
