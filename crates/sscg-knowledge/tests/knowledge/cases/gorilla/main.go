package main

import (
	"net/http"

	"github.com/gorilla/mux"
)

var basePath = "/shop"

func main() {
	r := mux.NewRouter()
	r.HandleFunc(basePath+"/", home).Methods(http.MethodGet, http.MethodHead)
	r.HandleFunc("/cart", addToCart).Methods("POST")
	r.HandleFunc("/setCurrency", setCurrency)
	r.Methods("DELETE").Path("/cart/{id}").HandlerFunc(emptyCart)
	r.Path("/orders").Methods("GET").Handler(http.HandlerFunc(orders)).Name("orders")
	r.PathPrefix("/static/").Handler(http.StripPrefix("/static/", http.FileServer(http.Dir("./static/"))))
	api := r.PathPrefix("/api").Subrouter()
	api.Use(logged)
	api.HandleFunc("/items/{id:[0-9]+}", item).Methods("GET").Queries("q", "{q}")
	reads := r.Methods("GET").Subrouter()
	reads.HandleFunc("/prices", prices)
	http.Handle("/", r)
	http.ListenAndServe(":8080", nil)
}

func home(w http.ResponseWriter, r *http.Request)        {}
func addToCart(w http.ResponseWriter, r *http.Request)   {}
func setCurrency(w http.ResponseWriter, r *http.Request) {}
func emptyCart(w http.ResponseWriter, r *http.Request)   {}
func orders(w http.ResponseWriter, r *http.Request)      {}
func item(w http.ResponseWriter, r *http.Request)        { _ = mux.Vars(r)["id"] }
func prices(w http.ResponseWriter, r *http.Request)      {}
func logged(next http.Handler) http.Handler              { return next }
