package users

import "net/http"

func (rs resource) get(w http.ResponseWriter, r *http.Request) {}
