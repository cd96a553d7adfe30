package main

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

func main() {
	e := echo.New()
	e.Use(middleware.Logger())
	e.GET("/", index)
	e.POST("/users", createUser, middleware.BasicAuth(nil))
	g := e.Group("/admin", middleware.BasicAuth(nil))
	g.DELETE("/users/:id", deleteUser)
	g.Match([]string{"GET", "HEAD"}, "/stats", stats)
	e.Add(http.MethodPut, "/users/:id", updateUser)
	e.Logger.Fatal(e.Start(":1323"))
}

func index(c echo.Context) error      { return c.String(http.StatusOK, "index") }
func createUser(c echo.Context) error { return nil }
func deleteUser(c echo.Context) error { return nil }
func stats(c echo.Context) error      { return nil }
func updateUser(c echo.Context) error { return nil }
