package main

import (
	"fmt"
	"net/http"
)

type handlers struct{ name string }

func main() {
	h := handlers{name: "shop"}
	http.HandleFunc("/healthz", healthz)
	http.Handle("/metrics", http.HandlerFunc(h.metrics))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", h.item)
	mux.HandleFunc("POST example.com/items", h.create)
	mux.HandleFunc("/{$}", h.index)
	mux.Handle("GET /files/{path...}", logged(http.HandlerFunc(h.files)))
	api := http.NewServeMux()
	api.HandleFunc("GET /version", version)
	mux.Handle("/api/", http.StripPrefix("/api", api))
	register(mux, fmt.Sprintf("/%s/stats", "v2"))
	server := &http.Server{Addr: ":8080", Handler: mux}
	server.ListenAndServe()
}

func register(mux *http.ServeMux, path string) {
	mux.HandleFunc(path, stats)
}

func logged(next http.Handler) http.Handler { return next }

func (h handlers) metrics(w http.ResponseWriter, r *http.Request) {}
func (h handlers) item(w http.ResponseWriter, r *http.Request)    {}
func (h handlers) create(w http.ResponseWriter, r *http.Request)  {}
func (h handlers) index(w http.ResponseWriter, r *http.Request)   {}
func (h handlers) files(w http.ResponseWriter, r *http.Request)   {}
func healthz(w http.ResponseWriter, r *http.Request)              {}
func version(w http.ResponseWriter, r *http.Request)              {}
func stats(w http.ResponseWriter, r *http.Request)                {}
